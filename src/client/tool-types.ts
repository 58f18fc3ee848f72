// How a client knows the tools of a server whose type tells them; with no such type everything is the plain protocol's.
import type { AnyArguments } from '../primitives/arguments.ts'
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

/** The names that the server's type tells, for editors to offer; any other may have been registered all the same. */
export type ToolName<Server> = ('~tools' extends keyof Server ? keyof ToolsOf<Server> : never) | (string & NoMember)

type NoMember = Record<never, never>

/** What follows the name of a tool in a call. Arguments can be left out where none of them is required. */
export type CallParameters<Server, Name, Options> =
  NoMember extends ToolArguments<Server, Name>
    ? [args?: ToolArguments<Server, Name>, options?: Options]
    : [args: ToolArguments<Server, Name>, options?: Options]

type ToolArguments<Server, Name> = Name extends KnownName<Server> ? ToolsOf<Server>[Name]['arguments'] : AnyArguments

export type ToolResult<Server, Name> =
  Name extends KnownName<Server>
    ? CallToolResult & { structuredContent?: ToolsOf<Server>[Name]['result'] }
    : CallToolResult

type KnownName<Server> = '~tools' extends keyof Server ? keyof ToolsOf<Server> & string : never
