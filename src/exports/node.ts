// mcpwire/node: what needs Node, or a runtime that imitates it.
export type { StderrOption } from '../node/child-stderr.ts'
export {
  type DirectoryResources,
  type DirectoryResourcesOptions,
  directoryResources,
} from '../node/directory-resources.ts'
export { defaultEnvironment } from '../node/environment.ts'
export { type FileResource, type FileResourceOptions, fileResource } from '../node/file-resource.ts'
export { PathEscapeError, safeJoin } from '../node/safe-path.ts'
export type { ShutdownTimes } from '../node/shutdown.ts'
export { type StdioOptions, stdio } from '../node/stdio-client.ts'
export { type ServeStdioOptions, type StdioServer, serveStdio } from '../node/stdio-server.ts'
