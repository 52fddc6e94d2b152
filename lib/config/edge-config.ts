import * as z from 'zod';
import { boolean, integer, must, text } from './fields.ts';

/** The bounds of WAF. */
const MIN_REQUESTS_PER_ADDRESS = 10;

const MAX_REQUESTS_PER_ADDRESS = 2_000_000_000;
/** Bounds of the firewall: requests of one address in five minutes, whatever its keys. */
export const firewall = z
  .strictObject(
    {
      enabled: boolean.default(true),
      requestsPerAddress: integer(MIN_REQUESTS_PER_ADDRESS, MAX_REQUESTS_PER_ADDRESS).default(120_000),
      /** Whether addresses that AWS has seen attack others are refused. */
      reputation: boolean.default(true),
    },
    must('an object'),
  )
  .prefault({});

/** A header name that a proxy can choose: not one that identifies the caller, and not one that API Gateway writes. */
const HEADER_NAME =
  /^(?!(?:x-api-key|x-min-block|x-verify|authorization|x-forwarded-.*|forwarded|host|via|content-.*|accept.*|origin|mcp-.*|x-amz.*)$)[a-z][a-z0-9-]{0,63}$/;
const header = text(HEADER_NAME, 'a header of your own in lower case, such as "x-client-address"');
/** How a proxy in front of the API proves itself, and tells the addresses of clients. */
export const addressProxy = z
  .strictObject(
    {
      header,
      proofHeader: header,
      proofSha256: z
        .array(
          text(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower-case hex digits'),
          must('a list of one or two digests'),
        )
        .min(1, 'must hold one or two digests')
        .max(2, 'must hold one or two digests'),
    },
    must('an object'),
  )
  .refine(({ header: one, proofHeader: other }) => one !== other, {
    path: ['proofHeader'],
    message: 'must be another header than "header"',
  });

const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
export const domain = z.strictObject(
  {
    name: text(HOST_NAME, 'a lower-case host name'),
    certificateArn: text(
      /^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'the ARN of an ACM certificate',
    ),
    hostedZone: z
      .strictObject(
        { id: text(/^[A-Z0-9]{1,32}$/, 'a hosted zone id'), name: text(HOST_NAME, 'a lower-case host name') },
        must('an object'),
      )
      .optional(),
  },
  must('an object'),
);
