// A tool that needs the user to visit a page, towards clients of every kind.
import { describe, expect, it, vi } from 'vitest'
import { translateUrlElicitation } from '../../../../src/mcpserver/asking/url-elicitation.ts'
import { Server } from '../../../../src/server/server.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { UrlElicitationRequiredError } from '../../../../src/types/errors/errors.ts'
import { ToolError } from '../../../../src/types/errors/failures.ts'
import type { ElicitRequestParams } from '../../../../src/types/features/elicitation.ts'
import type { ProtocolVersion } from '../../../../src/types/protocol/versions.ts'
import { ANSWERING, accept, NAME_FORM, readValue, serve } from './support.ts'

const VISIT = { mode: 'url' as const, message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e1' }

function needsVisit() {
  return new UrlElicitationRequiredError([VISIT], 'Sign in first')
}

describe('in modern revisions', () => {
  it('the user visits the page within the call, and earlier answers are kept', async () => {
    let isSignedIn = false
    const onElicitation = vi.fn((params: ElicitRequestParams) => {
      isSignedIn ||= params.mode === 'url'
      return params.mode === 'url' ? { action: 'accept' as const } : accept({ name: 'Ada' })
    })
    const { server } = serve(async (interaction, ctx) => {
      const who = await interaction.elicit('Who?', NAME_FORM)
      return isSignedIn ? who : translateUrlElicitation(ctx, needsVisit())
    })
    await using client = await connect(server, { ...ANSWERING, onElicitation })
    expect(readValue(await client.callTool('tool'))).toEqual(accept({ name: 'Ada' }))
    expect(onElicitation.mock.calls.map(([params]) => params)).toEqual([
      { mode: 'form', message: 'Who?', requestedSchema: NAME_FORM },
      { mode: 'url', message: 'Sign in', url: 'https://example.com/in' },
    ])
  })

  it('a client without URL elicitation gets the missing capability', async () => {
    const { server } = serve((_interaction, ctx) => translateUrlElicitation(ctx, needsVisit()))
    await using client = await connect(server, { ...ANSWERING, elicitationCapabilities: { form: {} } })
    await expect(client.callTool('tool')).rejects.toMatchObject({
      code: -32021,
      requiredCapabilities: { elicitation: { url: {} } },
    })
  })
})

describe('in legacy revisions', () => {
  /** What is thrown to a client of this revision. */
  async function thrownAt(version: ProtocolVersion): Promise<unknown> {
    let thrown: unknown
    const server = new Server('host', {
      supportedVersions: [version],
      handlers: {
        'tools/call': (ctx) => {
          try {
            return translateUrlElicitation(ctx, needsVisit())
          } catch (error) {
            thrown = error
            return { content: [] }
          }
        },
      },
    })
    await using client = await connect(server, { mode: 'legacy', ...ANSWERING })
    await client.callTool('tool')
    return thrown
  }

  it('2025-11-25 has an error for it', async () => {
    const error = await thrownAt('2025-11-25')
    expect(error).toBeInstanceOf(UrlElicitationRequiredError)
    expect(error).toMatchObject({ code: -32042, elicitations: [VISIT] })
  })

  it.each(['2025-06-18', '2025-03-26', '2024-11-05'] as const)('%s leaves it to the model', async (version) => {
    const error = await thrownAt(version)
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ message: 'Sign in first. The user has to visit:\nSign in: https://example.com/in' })
  })
})
