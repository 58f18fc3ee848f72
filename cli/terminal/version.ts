// The version of this package.
import { readFileSync } from 'node:fs'

export function readVersion(): string {
  const manifest = readFileSync(new URL(import.meta.resolve('mcpwire/package.json')), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
