// The revisions of a server: only those that exist, and at least one.
import { MCPServer } from 'mcpwire'
import { Server } from 'mcpwire/server'
import { PROTOCOL_VERSIONS } from 'mcpwire/types'
import { describe, expect, it } from 'vitest'

describe.each([
  ['MCPServer', (versions: unknown) => new MCPServer('a', { supportedVersions: versions as never })],
  ['Server', (versions: unknown) => new Server('a', { supportedVersions: versions as never })],
])('supportedVersions of %s', (_name, create) => {
  it.each([
    [[], 'is empty'],
    [['2026-07-29'], 'has "2026-07-29"'],
    [['2025-11-25', 'latest'], 'has "latest"'],
    [[undefined], 'has "undefined"'],
  ])('%j is refused, with the revisions that there are', (versions, problem) => {
    expect(() => create(versions)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: `supportedVersions ${problem}. Use one or more of ${PROTOCOL_VERSIONS.join(', ')}.`,
        help: expect.stringContaining('wrong-option.md') as string,
      }),
    )
  })

  it('takes all of them, and each alone', () => {
    for (const versions of [PROTOCOL_VERSIONS, ...PROTOCOL_VERSIONS.map((version) => [version])]) create(versions)
  })
})
