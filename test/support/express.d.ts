// As much of Express as tests and examples use; its types are a package of their own.
declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Handler = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void

  type RoutedRequest = IncomingMessage & { readonly params: Readonly<Record<string, string>> }
  type RoutedResponse = ServerResponse & { send(body: string): void }

  interface Application extends Handler {
    use(handler: Handler): this
    use(path: string, handler: Handler): this
    all(path: string, handler: Handler): this
    get(path: string, handler: (request: RoutedRequest, response: RoutedResponse) => void): this
    listen(port: number, host: string, onListening?: () => void): import('node:http').Server
  }

  const express: { (): Application; json(): Handler; Router(): Application }
  // biome-ignore lint/style/noDefaultExport: that is how Express is exported
  export default express
}
