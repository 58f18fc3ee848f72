// Who uses a namespace: two servers in one would serve each other's sessions and tasks.
import { createHash } from 'node:crypto'
import type { BackendUse } from '../../backend/backend.ts'
import type { Engine } from '../engine/engine.ts'

/** Forgotten when nobody has opened the namespace for so long. */
const TTL_MS = 30 * 86_400_000

/** The key is none that a caller can give. */
const READ = "SELECT value, expires_at FROM mcpwire_record WHERE ns = ? AND key = '~server' AND expires_at > ?"
const WRITE = `INSERT INTO mcpwire_record (ns, key, value, revision, expires_at) VALUES (?, '~server', ?, '', ?)
  ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`

/** Reports where the namespace belongs to another server. Needs an open engine. */
export async function compareFingerprint(engine: Engine, server: string, report: BackendUse['report']): Promise<void> {
  const { namespace, sql, now } = engine
  const own = createHash('sha256').update(`server ${server}`).digest('base64url').slice(0, 12)
  const find = () => sql.get(READ, namespace, now()) as { value: string; expires_at: number } | undefined
  const found = await engine.read('open', find)
  // Most openings write nothing, so that they wait for nobody.
  if (found?.value === own && found.expires_at > now() + TTL_MS / 2) return
  const owner = await engine.write('open', () => {
    const known = find()
    if (known === undefined || known.value === own) sql.run(WRITE, namespace, own, now() + TTL_MS)
    return known?.value ?? own
  })
  if (owner === own) return
  report?.(
    `Another server uses the namespace "${namespace}" in this SQLite file. Give each server a namespace of its own.`,
  )
}
