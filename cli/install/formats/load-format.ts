// The code of a format, loaded where a host has a file in it.
import type { ConfigFormat, FormatName } from './config-format.ts'

export async function loadFormat(name: FormatName): Promise<ConfigFormat> {
  if (name === 'toml') return (await import('./toml-format.ts')).toml
  if (name === 'yaml') return (await import('./yaml-format.ts')).yaml
  return (await import('./json-format.ts')).json
}
