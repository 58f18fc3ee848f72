// What `mcpwire run` asks of the child that serves a program. In a variable, because the arguments are the program's own.

export const SERVE_VARIABLE = 'MCPWIRE_SERVE'

export interface ServeRequest {
  path: string
  exportName?: string | undefined
  debug?: boolean
  json?: boolean
}
