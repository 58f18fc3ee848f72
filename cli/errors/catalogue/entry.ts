// One entry of the error catalogue. The code that throws holds message and slug; everything else is here, where no bundle has it.

export interface CatalogueEntry {
  /** The class of what is thrown, or what a failure is otherwise: a result, an HTTP response, a message of the command line. */
  readonly class: string
  /** Of `MCPError`. */
  readonly code?: number
  /** The message, with `<…>` for what differs. */
  readonly message: string
  /** The first release that has it, once there is one. */
  readonly since?: string
  /** Why it happens. */
  readonly cause: string
  /** The same on the command line, where that differs. */
  readonly causeOnCommandLine?: string
  /** What to do, in the order to try it. */
  readonly fix: readonly string[]
  /** Further wordings, which the code or Node puts together from parts. The site lists those of the source by itself. */
  readonly also?: readonly string[]
  /** What to do on the command line, where that differs. */
  readonly onCommandLine?: string
}

/** Matches the messages of an entry, wherever they stand in a longer one. */
export function messagePattern({ message }: CatalogueEntry): RegExp {
  const parts = message.split(/<[^>]*>/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(parts.join('[\\s\\S]+?'))
}
