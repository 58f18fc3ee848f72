// mcpwire/node: what needs Node, or a runtime that imitates it.
export type { StderrOption } from '../node/child-stderr.ts'
export {
  type DirectoryResources,
  type DirectoryResourcesOptions,
  directoryResources,
} from '../node/directory-resources.ts'
export { defaultEnvironment } from '../node/environment.ts'
export { type FileResource, type FileResourceOptions, fileResource } from '../node/file-resource.ts'
export { type FileTokenStoreOptions, fileTokenStore } from '../node/file-token-store.ts'
export { openBrowser } from '../node/open-browser.ts'
export { PathEscapeError, safeJoin } from '../node/safe-path.ts'
export { serveHttp } from '../node/serve-http.ts'
export type { ShutdownTimes } from '../node/shutdown.ts'
export { type StdioOptions, stdio } from '../node/stdio-client.ts'
export { type LaunchOptions, launchStdioServer } from '../node/stdio-launcher.ts'
export { type ServeStdioOptions, type StdioIsolation, type StdioServer, serveStdio } from '../node/stdio-server.ts'
export { type NodeHandler, type RoutedReply, type RoutedRequest, toNodeHandler } from '../node/to-node-handler.ts'
export { createHandler, type ServerHandler, type ServerTarget } from '../server/http/handler.ts'
export type { HandlerOptions } from '../server/http/handler-options.ts'
export type { HttpServing, ServeHttpOptions } from '../server/http/serve-options.ts'
