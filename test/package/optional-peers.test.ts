// Every command that installs an optional package names a version that the package works with.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../../', import.meta.url))
const peers: Readonly<Record<string, string>> = manifest.peerDependencies

/** `6` of `^6.0.0`, `0.5` of `^0.5.0`; what has no upper end needs none. */
function versionOf(range: string): string | undefined {
  return /^\^(0\.\d+|[1-9]\d*)/.exec(range)?.[1]
}

function textsIn(folder: string): [file: string, text: string][] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md)$/.test(name) && !/(?:^|[/\\])(?:test|project|node_modules)[/\\]/.test(name))
    .map((name) => [join(folder, name), readFileSync(join(root, folder, name), 'utf8')])
}

/** The packages of each `npm install`, as they are written. */
function installed(text: string): string[] {
  return [...text.matchAll(/npm install((?: +(?:--[\w-]+|@?[a-z][\w./-]*(?:@[\w.^-]*\w)?))+)/g)].flatMap(
    ([, words = '']) =>
      words
        .trim()
        .split(/ +/)
        .map((word) => word.replace(/\.$/, '')),
  )
}

describe('optional packages', () => {
  const all = ['src', 'cli', 'docs', 'examples'].flatMap(textsIn)

  it.each(Object.entries(peers))('%s %s: every command to install it fits the range', (name, range) => {
    const version = versionOf(range)
    const wanted = version === undefined ? name : `${name}@${version}`
    const wrong = all.flatMap(([file, text]) =>
      installed(text)
        .filter((word) => word === name || word.startsWith(`${name}@`))
        .filter((word) => word !== wanted)
        .map((word) => `${file}: ${word}`),
    )
    expect(wrong).toEqual([])
  })

  it('the check reads a line of several packages', () => {
    expect(installed('Run `npm install bullmq@6 ioredis`, then …')).toEqual(['bullmq@6', 'ioredis'])
  })
})
