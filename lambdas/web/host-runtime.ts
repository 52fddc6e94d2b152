/**
 * What Lambda's runtime gives to the code of an event function and not to that of a web function. It is imported before any
 * of that code.
 */
import { HeadedStream } from './headed-stream.ts';

/** Folder of the bundle: no page says whether a web function is told. */
process.env.LAMBDA_TASK_ROOT ??= import.meta.dirname;

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (stream: unknown, head: unknown) => {
        if (stream instanceof HeadedStream) stream.setHead(head);
        return stream;
      },
    },
  },
});
