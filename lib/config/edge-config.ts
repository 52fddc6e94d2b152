import * as z from 'zod';
import { boolean, integer, must, text } from './fields.ts';

/** The bounds of WAF. */
const MIN_REQUESTS_PER_ADDRESS = 10;

const MAX_REQUESTS_PER_ADDRESS = 2_000_000_000;
/** What one address may send in five minutes, whatever its keys. */
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
