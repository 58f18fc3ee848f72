import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script without types
import { findPublishFaults } from '../../../scripts/check-publish.js'

const root = new URL('../../../', import.meta.url)
const find = findPublishFaults as (manifest: object, readme: string, packed: readonly string[]) => string[]
const GOOD = {
  homepage: 'https://mcpwire.example',
  repository: { type: 'git', url: 'git+https://code.example/mcpwire.git' },
  bugs: { url: 'https://code.example/mcpwire/issues' },
}

describe('the check before publishing', () => {
  it('accepts real addresses and links to packed files', () => {
    const readme = '[Guide](docs/index.md#first) <img src="./docs/a.svg"> [x](https://elsewhere.example) [y](#here)'
    expect(find(GOOD, readme, ['docs/index.md', 'docs/a.svg'])).toEqual([])
  })

  it('refuses missing addresses and placeholders', () => {
    expect(find({ ...GOOD, homepage: undefined, bugs: {} }, '', [])).toEqual([
      'package.json has no homepage.',
      'package.json has no bugs.url.',
    ])
    expect(find({ ...GOOD, homepage: 'https://mcpwire.invalid' }, '', [])).toEqual([
      'homepage in package.json is a placeholder: https://mcpwire.invalid',
    ])
  })

  it('refuses links to files that are not packed', () => {
    expect(find(GOOD, '[a](docs/a.md) <source srcset="docs/b.svg">', ['docs/b.md'])).toEqual([
      'README.md links to docs/a.md, which is not in the package.',
      'README.md links to docs/b.svg, which is not in the package.',
    ])
  })

  it('refuses this package while its addresses are placeholders, and npm runs it', () => {
    const script = fileURLToPath(new URL('scripts/check-publish.js', root))
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^homepage in package\.json is a placeholder/),
      expect.stringMatching(/^repository\.url in package\.json is a placeholder/),
      expect.stringMatching(/^bugs\.url in package\.json is a placeholder/),
    ])
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
    expect(scripts).toMatchObject({ prepublishOnly: 'node scripts/check-publish.js' })
    expect(() => execFileSync(process.execPath, ['--check', script])).not.toThrow()
  })
})
