// How a client knows the tools of a server whose type tells them; with no such type everything is the plain protocol's.
import type { AnyArguments } from '../../primitives/json/objects.ts'
import type { CallToolResult } from '../../types/features/tools.ts'

/** Arguments and structured result of each tool, by name. */
export interface ToolTypes {
  [name: string]: { arguments: object; result: unknown }
}

/** A server's type tells its tools under a name that holds nothing at run time. */
export interface DescribesTools<Tools extends ToolTypes> {
  readonly '~tools'?: Tools
}

type NamesOf<Server> = Server extends { readonly '~tools'?: infer Tools } ? keyof Tools & string : never

/** `Server` where its type tells its tools, and `unknown` where it does not. */
export type KnownServer<Server> = '~tools' extends keyof Server ? Server : unknown

/** The names that the server's type tells, for editors to offer; any other may have been registered all the same. */
export type ToolName<Server> = NamesOf<Server> | (string & NoMember)

type NoMember = Record<never, never>

/** The tool of this name, or `undefined` where the server's type tells of none. */
export type KnownTool<Server, Name> = string extends Name
  ? undefined
  : Server extends { readonly '~tools'?: { readonly [Key in Name & string]: infer Tool } }
    ? Tool
    : undefined

/** What follows the name of a tool in a call. Arguments can be left out where none of them is required. */
export type CallParameters<Tool, Options> =
  NoMember extends ToolArguments<Tool>
    ? [args?: ToolArguments<Tool>, options?: Options]
    : [args: ToolArguments<Tool>, options?: Options]

type ToolArguments<Tool> = Tool extends { readonly arguments: infer Arguments } ? Arguments : AnyArguments

export type ToolResult<Tool> = Tool extends { readonly result: infer Result }
  ? CallToolResult & { structuredContent?: Result }
  : CallToolResult
