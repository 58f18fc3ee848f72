// How a client knows the tools of a server whose type tells them; with no such type everything is the plain protocol's.
import type { JSONObject } from '../types/json.ts'
import type { CallToolResult } from '../types/tools.ts'

/** Arguments and structured result of each tool, by name. */
export interface ToolTypes {
  [name: string]: { arguments: object; result: unknown }
}

/** A server's type tells its tools under a name that holds nothing at run time. */
export interface DescribesTools<Tools extends ToolTypes> {
  readonly '~tools'?: Tools
}

type ToolsOf<Server> = Server extends DescribesTools<infer Tools> ? Tools : never

/** `Server` where its type tells its tools, and `unknown` where it does not. */
export type KnownServer<Server> = '~tools' extends keyof Server ? Server : unknown

export type ToolName<Server> = '~tools' extends keyof Server ? keyof ToolsOf<Server> & string : string

/** `Name` where the server's type tells of no such tool: it may have been registered all the same. */
export type OtherToolName<Server, Name extends string> = Name extends ToolName<Server> ? never : Name

export type ToolArguments<Server, Name extends string> = '~tools' extends keyof Server
  ? ToolsOf<Server>[Name]['arguments']
  : JSONObject

export type ToolResult<Server, Name extends string> = '~tools' extends keyof Server
  ? CallToolResult & { structuredContent?: ToolsOf<Server>[Name]['result'] }
  : CallToolResult
