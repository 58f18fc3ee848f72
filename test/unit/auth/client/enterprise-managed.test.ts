// The assertion that a company's identity provider gives is a credential: it stays out of URLs, texts and plain http.
import { inspect } from 'node:util'
import { enterpriseManaged } from 'mcpwire/auth'
import { expect, it } from 'vitest'
import { json, ScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { createCaller } from './login-support.ts'

const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ3In0.c2ln'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'

function setUp(tokenEndpoint: string) {
  const as = new ScriptedOAuth()
  as.serverMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic', 'none']
  as.routes.set(`POST ${tokenEndpoint}`, () =>
    json(200, { issued_token_type: ID_JAG, access_token: 'a.b.jag', token_type: 'N_A', expires_in: 300 }),
  )
  const idp = { tokenEndpoint, clientId: 'at-idp', idToken: JWT }
  const provider = enterpriseManaged({ clientId: 'mine', clientSecret: 's3cret', issuer: as.issuer, idp })
  return createCaller(as, provider)
}

it('C-XA-05 it is in no URL', async () => {
  const { as, call } = setUp('https://idp.example.com/token')
  expect((await call()).status).toBe(200)
  expect(as.requests.some(({ form }) => form.get('assertion') === 'a.b.jag')).toBe(true)
  for (const { url } of as.requests) expect(url.href).not.toMatch(/a\.b\.jag|eyJ/)
})

it('C-XA-05 an error response that repeats it is reported without it', async () => {
  const { as, call } = setUp('https://idp.example.com/token')
  as.routes.set('POST https://as.example.com/token', ({ form }) =>
    json(400, { error: 'invalid_grant', error_description: `no: ${form.get('assertion')}` }),
  )
  const error = await call().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'OAuthError' })
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('a.b.jag')
})

it('C-XA-05 plain http is no way for it', async () => {
  const { as, call } = setUp('http://idp.example.com/token')
  await expect(call()).rejects.toMatchObject({ name: 'OAuthError', code: 'insecure_url' })
  expect(as.requests.some(({ url }) => url.protocol === 'http:')).toBe(false)
})
