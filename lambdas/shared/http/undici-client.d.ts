/** The one module of undici that functions need: all of it would be four times as large. */
declare module 'undici/lib/dispatcher/client.js' {
  // biome-ignore lint/style/noDefaultExport: it is a CommonJS module
  export { Client as default } from 'undici';
}
