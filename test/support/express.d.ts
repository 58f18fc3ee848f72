// As much of Express as the tests use; its types are a package of their own.
declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Handler = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void

  interface Application extends Handler {
    use(handler: Handler): this
    use(path: string, handler: Handler): this
    all(path: string, handler: Handler): this
    listen(port: number, host: string): import('node:http').Server
  }

  const express: { (): Application; json(): Handler; Router(): Application }
  // biome-ignore lint/style/noDefaultExport: that is how Express is exported
  export default express
}
