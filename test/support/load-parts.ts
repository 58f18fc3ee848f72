// For tests of what runs inside a server: loads what a start of the server would load.
import { calling } from '../../src/mcpserver/values/calling.ts'
import { running } from '../../src/server/late/running.ts'

export async function loadParts(): Promise<void> {
  await running.load(() => import('../../src/server/running-parts.ts'))
  await calling.load(() => import('../../src/mcpserver/calling-parts.ts'))
}
