// What comes back from the login page: only the right answer is taken, and nothing of a wrong one is shown.
import { describe, expect, it } from 'vitest'
import { ScriptedOAuth } from '../../../../support/scripted-oauth.ts'
import { browsingProvider, createCaller } from '../login-support.ts'

/** A call whose login ends at a changed callback. */
async function callWith(change: (back: URL) => void, prepare: (as: ScriptedOAuth) => void = () => {}) {
  const as = new ScriptedOAuth()
  prepare(as)
  let back: URL | undefined
  const provider = browsingProvider(as, {
    redirect: (url) => {
      back = as.browse(url)
      change(back)
    },
    callback: async () => back!,
  })
  const error = await createCaller(as, provider)
    .call()
    .then(
      () => undefined,
      (reason: unknown) => reason as Error,
    )
  return { as, error }
}

describe('the callback of a login', () => {
  it.each<[string, string, (back: URL) => void]>([
    ['F175 iss is missing though announced', 'issuer_mismatch', (back) => back.searchParams.delete('iss')],
    ['F175 iss is of another', 'issuer_mismatch', (back) => back.searchParams.set('iss', 'https://evil.example.com')],
    [
      'F175 iss differs by a slash',
      'issuer_mismatch',
      (back) => back.searchParams.set('iss', 'https://as.example.com/'),
    ],
    ['F175 iss comes twice', 'issuer_mismatch', (back) => back.searchParams.append('iss', 'https://as.example.com')],
    ['F175 iss is empty', 'issuer_mismatch', (back) => back.searchParams.set('iss', '')],
    ['F179 R48 the state is another', 'state_mismatch', (back) => back.searchParams.set('state', 'guessed')],
    ['F179 R48 the state is missing', 'state_mismatch', (back) => back.searchParams.delete('state')],
    ['F179 the state comes twice', 'state_mismatch', (back) => back.searchParams.append('state', 'x')],
    ['F179 the code is missing', 'invalid_callback', (back) => back.searchParams.delete('code')],
    ['F179 the code comes twice', 'invalid_callback', (back) => back.searchParams.append('code', 'x')],
    ['F179 the user said no', 'access_denied', (back) => back.searchParams.set('error', 'access_denied')],
    ['F179 the error is no error code', 'authorization_failed', (back) => back.searchParams.set('error', 'é\n')],
  ])('F175 F179 R48 C-AUTH-16 C-AUTH-17 C-AUTH-19 %s: %s', async (_what, code, change) => {
    const { as, error } = await callWith(change)
    expect(error).toMatchObject({ name: 'OAuthError', step: 'callback', code })
    expect(as.sent('/token')).toHaveLength(0)
  })

  it('C-AUTH-16 F175 an iss that was not announced is compared all the same', async () => {
    const { as, error } = await callWith(
      (back) => back.searchParams.set('iss', 'https://evil.example.com'),
      (as) => {
        as.serverMetadata['authorization_response_iss_parameter_supported'] = false
      },
    )
    expect(error).toMatchObject({ code: 'issuer_mismatch' })
    expect(as.sent('/token')).toHaveLength(0)
  })

  it('C-AUTH-18 nothing of an error from another issuer is shown', async () => {
    const { error } = await callWith((back) => {
      back.searchParams.set('iss', 'https://evil.example.com')
      back.searchParams.set('error', 'call_this_number')
      back.searchParams.set('error_description', 'and pay')
    })
    expect(error).toMatchObject({ code: 'issuer_mismatch', message: expect.not.stringMatching(/call_this|pay/) })
  })

  it('F179 R26 the text of an error is shown short and without control characters', async () => {
    const { error } = await callWith((back) => {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', `no\u001b[31m\u202e${'x'.repeat(5000)}`)
    })
    expect(error?.message).toMatch(/access_denied \(no/)
    expect(error?.message.length).toBeLessThan(400)
    expect(error?.message).not.toMatch(/\p{C}/u)
  })

  it('a replayed code is rejected with its error code, and not revealed', async () => {
    const { as, error } = await callWith((back) => back.searchParams.set('code', 'used-before-secret'))
    expect(error).toMatchObject({
      code: 'invalid_grant',
      step: 'token',
      message: expect.not.stringContaining('used-before'),
    })
    expect(as.accessTokens.size).toBe(0)
  })

  it('F179 a login without a callback ends in a timeout', async () => {
    const as = new ScriptedOAuth()
    const provider = browsingProvider(as, { callback: () => new Promise(() => {}), loginTimeoutMs: 20 })
    await expect(createCaller(as, provider).call()).rejects.toMatchObject({ code: 'timeout', step: 'callback' })
  })

  it('a redirect function that fails has its own code, with the error as cause', async () => {
    const as = new ScriptedOAuth()
    const cause = new Error('no screen')
    const provider = browsingProvider(as, { redirect: () => Promise.reject(cause) })
    await expect(createCaller(as, provider).call()).rejects.toMatchObject({ code: 'redirect_failed', cause })
  })
})
