import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadStageConfig } from '../../lib/config/config.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { SynthesisedStage } from '../lib/synthesised-stage.ts';
import { SITE_DOMAIN, variedStage } from '../lib/varied-stages.ts';

const folder = mkdtempSync(join(tmpdir(), 'deployed-site-'));
const BASE: StageConfigInput = {
  stage: 'x',
  chains: [{ chain: 'x', name: 'X', chainId: 1, default: true, upstreams: ['https://node.example/key'] }],
  plans: { standard: { bucketCapacity: 100, refillPerSecond: 10 } },
  defaultPlan: 'standard',
  database: { enabled: false },
};
const TYPES = ['AWS::CloudFront::Distribution', 'AWS::S3::Bucket'];

afterAll(() => rmSync(folder, { recursive: true }));

const stages = {
  without: new SynthesisedStage('local'),
  disabled: variedStage('least'),
  enabled: variedStage('most'),
};

test('is not there unless the stage asks for it', () => {
  for (const stage of [stages.without, stages.disabled])
    for (const type of TYPES)
      expect(stage.resources(type).filter(([id]) => id.startsWith('Site'))).toEqual([]);
});

describe('a site', () => {
  let stage: SynthesisedStage;

  beforeAll(() => {
    stage = stages.enabled;
  });

  test('answers over TLS under its name, and 404 for what is not there', () => {
    expect(stage.properties('AWS::CloudFront::Distribution')).toMatchObject({
      DistributionConfig: {
        Aliases: [SITE_DOMAIN.name],
        DefaultRootObject: 'index.html',
        DefaultCacheBehavior: { ViewerProtocolPolicy: 'redirect-to-https', Compress: true },
        ViewerCertificate: {
          AcmCertificateArn: SITE_DOMAIN.certificateArn,
          MinimumProtocolVersion: 'TLSv1.2_2021',
        },
        CustomErrorResponses: [{ ErrorCode: 403, ResponseCode: 404, ResponsePagePath: '/404.html' }],
      },
    });
    expect(stage.properties('AWS::Route53::RecordSet')).toMatchObject({ Name: `${SITE_DOMAIN.name}.` });
  });

  test('says where it is, and where its files go', () => {
    const outputs = stage.template.findOutputs('*');
    expect(outputs.SiteUrl?.Value).toBe(`https://${SITE_DOMAIN.name}`);
    expect(outputs.SiteBucketName?.Value).toEqual({ Ref: expect.stringMatching(/^SiteFiles/) });
    expect(outputs.SiteAliasTarget).toBeDefined();
  });
});

test('takes a certificate of no other region than that of CloudFront', () => {
  const file = join(folder, 'wrong.json');
  const certificateArn = SITE_DOMAIN.certificateArn.replace('us-east-1', 'eu-west-1');
  writeFileSync(
    file,
    JSON.stringify({ ...BASE, site: { enabled: true, domain: { ...SITE_DOMAIN, certificateArn } } }),
  );
  expect(() => loadStageConfig(file)).toThrow(
    /site\.domain\.certificateArn: must be a certificate in us-east-1/,
  );
});

test('the local stage has none: a local run serves it by itself', () => {
  expect(loadStageConfig(stageFile('local')).site).toBeUndefined();
});
