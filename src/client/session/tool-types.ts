// Types the tools of a server by the type of the server. Without one, calls have the plain protocol types.
import type { AnyArguments } from '../../primitives/json/objects.ts'
import type { CallToolResult } from '../../types/features/tools.ts'

/** Arguments and structured result of each tool, by name. */
export interface ToolTypes {
  [name: string]: { arguments: object; result: unknown }
}

/** The type of a server holds its tools in a member that does not exist at run time. */
export interface DescribesTools<Tools extends ToolTypes> {
  /** For the compiler only: the types of the tools. Never set at run time. */
  readonly '~tools'?: Tools
}

type NamesOf<Server> = Server extends { readonly '~tools'?: infer Tools } ? keyof Tools & string : never

/** `Server` where its type has tools, else `unknown`. */
export type KnownServer<Server> = '~tools' extends keyof Server ? Server : unknown

/** The names in the server's type, which editors offer. Other names are allowed: the server may have more tools. */
export type ToolName<Server> = NamesOf<Server> | (string & NoMember)

type NoMember = Record<never, never>

/** The tool of this name, or `undefined` where the server's type has none. */
export type KnownTool<Server, Name> = string extends Name
  ? undefined
  : Server extends { readonly '~tools'?: { readonly [Key in Name & string]: infer Tool } }
    ? Tool
    : undefined

/** The parameters of a call after the name. Arguments are optional where none of them is required. */
export type CallParameters<Tool, Options> =
  NoMember extends ToolArguments<Tool>
    ? [args?: ToolArguments<Tool>, options?: Options]
    : [args: ToolArguments<Tool>, options?: Options]

type ToolArguments<Tool> = Tool extends { readonly arguments: infer Arguments } ? Arguments : AnyArguments

/** On a legacy connection the server wraps a structured result that is not an object as `{ result }`. */
export type ToolResult<Tool> = Tool extends { readonly result: infer Result }
  ? CallToolResult & { structuredContent?: Result }
  : CallToolResult
