// A modern message is read at the revision that it names itself, whatever the latest one is.
import { describe, expect, it, vi } from 'vitest'
import { Admission } from '../../../../../src/server/http/guards/admission.ts'
import { completeSettings } from '../../../../../src/server/http/handler-options.ts'
import { nameParamOf } from '../../../../../src/server/http/modern/modern.ts'
import { ModernNotifications } from '../../../../../src/server/http/modern/notifications.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import { type ModernVersion, PROTOCOL_VERSIONS } from '../../../../../src/types/protocol/versions.ts'
import { requestRow } from '../../../../../src/wire/method-rows.ts'
import { REQUESTS, type RequestRow } from '../../../../../src/wire/methods.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

const server = coreOf(new Server('revisions', {}))

describe('the param that Mcp-Name repeats', () => {
  it('comes from the row of the revision that the request names', () => {
    const named = Object.entries<RequestRow>(REQUESTS).filter(([, { nameParam }]) => nameParam !== undefined)
    for (const [method] of named) {
      for (const version of PROTOCOL_VERSIONS) {
        expect(nameParamOf(server, method, version)).toBe(requestRow(method, version, 'client')?.nameParam)
      }
    }
  })

  it('does not exist at a revision that the method table does not have, such as a later one', () => {
    expect(nameParamOf(server, 'tools/call', '2026-07-28')).toBe('name')
    expect(nameParamOf(server, 'tools/call', '2099-01-01')).toBeUndefined()
  })

  it('comes from an extension with the same revision', () => {
    const asked: unknown[] = []
    const extensions = { request: (...question: unknown[]) => void asked.push(question) }
    nameParamOf({ extensions } as never, 'vendor/do', '2099-01-01')
    expect(asked).toEqual([['vendor/do', '2099-01-01']])
  })
})

it('a notification is handled at the revision of its header', async () => {
  const versions: string[] = []
  const listener = new Server('revisions', {
    middleware: [
      (ctx, next) => {
        versions.push(ctx.connection.protocolVersion)
        return next()
      },
    ],
  })
  const notifications = new ModernNotifications(coreOf(listener), new Admission(completeSettings({})), {})
  for (const version of ['2026-07-28', '2099-01-01'] as ModernVersion[]) {
    notifications.receive(new FakeExchange({}), version, 'notifications/vendor', undefined)
  }
  await vi.waitFor(() => expect(versions).toEqual(['2026-07-28', '2099-01-01']))
})
