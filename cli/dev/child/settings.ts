// What the process that runs the server is started with. In a variable, because the arguments are the program's own.

export interface ChildSettings {
  path: string
  exportName?: string | undefined
  transport: 'stdio' | 'http'
  /** Options of HTTP that the user gave. */
  http: { path?: string }
  /** Encrypts `requestState`, in base64: the same for all versions. */
  secret: string
  debug: boolean
}

/** The child removes it from its environment. */
export const SETTINGS_VARIABLE = 'MCPWIRE_DEV'

export function takeSettings(): ChildSettings {
  const settings = JSON.parse(process.env[SETTINGS_VARIABLE] ?? '') as ChildSettings
  delete process.env[SETTINGS_VARIABLE]
  return settings
}
