// mcpwire/node: stdio, HTTP servers, files and token stores, for Node, Bun and Deno.

export {
  type DirectoryResources,
  type DirectoryResourcesOptions,
  directoryResources,
} from '../node/files/directory-resources.ts'
export { type FileResource, type FileResourceOptions, fileResource } from '../node/files/file-resource.ts'
export { fileTaskReferences } from '../node/files/file-task-references.ts'
export { type FileTokenStoreOptions, fileTokenStore } from '../node/files/file-token-store.ts'
export { openBrowser } from '../node/files/open-browser.ts'
export { PathEscapeError, safeJoin } from '../node/files/safe-path.ts'
export { type SkillFolderOptions, skillFolder, skillFolders } from '../node/files/skill-folder.ts'
export { serveHttp } from '../node/http/serve-http.ts'
export { type NodeHandler, type RoutedReply, type RoutedRequest, toNodeHandler } from '../node/http/to-node-handler.ts'
export { defaultEnvironment } from '../node/process/program.ts'
export type { ShutdownTimes } from '../node/process/shutdown-times.ts'
export { type ServeTasksOptions, serveTasks, type TasksServing } from '../node/serve-tasks.ts'
export type { StderrOption } from '../node/stdio/child-stderr.ts'
export { type StdioOptions, stdio } from '../node/stdio/stdio-client.ts'
export { type LaunchOptions, launchStdioServer } from '../node/stdio/stdio-launcher.ts'
export {
  type ServeStdioOptions,
  type StdioIsolation,
  type StdioServer,
  serveStdio,
} from '../node/stdio/stdio-server.ts'
export { createHandler, type ServerHandler, type ServerTarget } from '../server/http/handler.ts'
export type { HandlerOptions } from '../server/http/handler-options.ts'
export type { HttpServing, ServeHttpOptions } from '../server/http/serve-options.ts'
