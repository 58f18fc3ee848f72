// Every limit of admission, exactly at its edge: so many are let in, one more is not, and one that leaves makes room.
import { describe, expect, it } from 'vitest'
import { Admission } from '../../../../../src/server/http/guards/admission.ts'
import { completeSettings, type HandlerOptions } from '../../../../../src/server/http/handler-options.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'

const KIB = 1024
const ada = { clientId: 'app', scopes: [], subject: 'ada' }
const bob = { clientId: 'app', scopes: [], subject: 'bob' }

type Auth = typeof ada | undefined

interface Gate {
  readonly options: HandlerOptions
  enter(admission: Admission, auth: Auth): boolean
  leave(admission: Admission, auth: Auth): void
}

const request = {
  enter: (a: Admission, auth: Auth) => a.enter(auth, 0),
  leave: (a: Admission, auth: Auth) => a.leave(auth, 0),
}
const bytes = {
  enter: (a: Admission, auth: Auth) => a.enter(auth, 100 * KIB),
  leave: (a: Admission, auth: Auth) => a.leave(auth, 100 * KIB),
}
const stream = {
  enter: (a: Admission, auth: Auth) => a.enterStream(auth),
  leave: (a: Admission, auth: Auth) => a.leaveStream(auth),
}
const notification = {
  enter: (a: Admission, auth: Auth) => a.enterNotification(auth),
  leave: (a: Admission, auth: Auth) => a.leaveNotification(auth),
}

/** Each takes three. */
const IN_ALL: Record<string, Gate> = {
  maxConcurrentRequests: { ...request, options: { maxConcurrentRequests: 3 } },
  maxBytesInFlight: { ...bytes, options: { maxBytesInFlight: 300 * KIB } },
  maxStreams: { ...stream, options: { maxStreams: 3 } },
  maxNotificationHandlers: { ...notification, options: { maxNotificationHandlers: 3 } },
}
const PER_PRINCIPAL: Record<string, Gate> = {
  maxConcurrentRequestsPerPrincipal: { ...request, options: { maxConcurrentRequestsPerPrincipal: 3 } },
  maxBytesInFlightPerPrincipal: { ...bytes, options: { maxBytesInFlightPerPrincipal: 300 * KIB } },
  maxStreamsPerPrincipal: { ...stream, options: { maxStreamsPerPrincipal: 3 } },
  maxNotificationHandlersPerPrincipal: { ...notification, options: { maxNotificationHandlersPerPrincipal: 3 } },
}

const tries = (gate: Gate, admission: Admission, ...callers: Auth[]) =>
  callers.map((auth) => gate.enter(admission, auth))

describe('a limit of what is under way', () => {
  it.each(Object.entries(IN_ALL))('%s admits three, from any caller', (_name, gate) => {
    const admission = new Admission(completeSettings(gate.options))
    expect(tries(gate, admission, ada, bob, undefined, undefined, ada)).toEqual([true, true, true, false, false])
    gate.leave(admission, undefined)
    expect(tries(gate, admission, bob, bob)).toEqual([true, false])
  })

  it.each(Object.entries(PER_PRINCIPAL))('%s lets three of one principal in, and others beside them', (_name, gate) => {
    const admission = new Admission(completeSettings(gate.options))
    expect(tries(gate, admission, ada, ada, ada, ada)).toEqual([true, true, true, false])
    expect(tries(gate, admission, bob, undefined, undefined, undefined, undefined)).toEqual(Array(5).fill(true))
    gate.leave(admission, ada)
    expect(tries(gate, admission, ada, ada)).toEqual([true, false])
    for (let left = 0; left < 3; left += 1) gate.leave(admission, ada)
    // A principal without requests is forgotten, and starts again.
    expect(tries(gate, admission, ada, ada, ada, ada)).toEqual([true, true, true, false])
  })

  it('does not count a rejected request, in all and for the principal', () => {
    const gate = PER_PRINCIPAL['maxConcurrentRequestsPerPrincipal'] as Gate
    const admission = new Admission(completeSettings({ maxConcurrentRequests: 4, ...gate.options }))
    expect(tries(gate, admission, ada, ada, ada, ada, ada, bob, bob)).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
      false,
    ])
    gate.leave(admission, bob)
    expect(tries(gate, admission, bob, bob)).toEqual([true, false])
  })

  it.each([
    [64 * KIB, 0],
    [64 * KIB + 1, 64 * KIB + 1],
    [1024 * KIB, 1024 * KIB],
    [1024 * KIB + 1, 0],
  ])('a body of %i bytes counts as %i: not if it is small, nor if it is rejected unread', (size, counted) => {
    const admission = new Admission(completeSettings({ maxBodyBytes: 1024 * KIB, maxBytesInFlight: 1024 * KIB }))
    expect(admission.bytesOf(new FakeExchange({ headers: { 'content-length': String(size) } }))).toBe(counted)
    admission.enter(ada, 1024 * KIB)
    expect(admission.correctBytes(ada, 1024 * KIB, size)).toBe(counted)
    const free = 1024 * KIB - counted
    expect([admission.enter(bob, free + 1), admission.enter(bob, free)]).toEqual([false, true])
  })
})
