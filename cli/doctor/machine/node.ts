// Node and its support for TypeScript.
import { join } from 'node:path'
import { readVersion } from '../../terminal/version.ts'
import { decideLoader } from '../../typescript/loader.ts'
import { LOADERS } from '../findings/loaders.ts'
import { fault, ok, warning } from '../findings/step.ts'
import type { PrintedFinding } from '../print-report.ts'

/** The oldest that the package supports, from its package.json. */
const OLDEST = [20, 19] as const

export function checkNode(version: string = process.versions.node): PrintedFinding {
  const title = 'Node'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const text = `Node ${version} with mcpwire ${readVersion()}`
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  if (isOld) return { title, ...fault(`${text}: needs Node ${OLDEST.join('.')} or newer`, 'node-too-old') }
  // Odd lines are no releases for long use.
  if (major % 2 === 1) {
    const fix = 'Use a release line with an even number.'
    return {
      title,
      ...warning(`${text}: this release line gets no long support`, 'node-too-old', { cause: text, fix }),
    }
  }
  return { title, ...ok(text) }
}

/** As for a file in this folder. */
export function checkTypeScript(): PrintedFinding {
  const kind = decideLoader(join(process.cwd(), 'server.ts'))
  return { title: 'TypeScript', ...ok(`${LOADERS[kind]}; no build step is needed`) }
}
