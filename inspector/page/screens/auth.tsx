// Auth: every step of the authorization, with what was asked and what came of it.
import { useEffect, useState } from 'preact/hooks'
import type { AuthState } from '../../protocol/state.ts'
import { JsonValue } from '../parts/json.tsx'
import { clean, cleanLine, showTime } from '../parts/text.ts'
import { Badge, Empty, OutsideLink, ProblemBox } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { connection, entriesOf } from '../state/store.ts'

const WORDS: Readonly<Record<AuthState['status'], readonly [string, string]>> = {
  none: ['not protected', 'plain'],
  'logging-in': ['waiting for your login', 'warn'],
  'logged-in': ['logged in', 'good'],
  expired: ['expired', 'bad'],
  'step-up': ['more rights asked for', 'warn'],
  failed: ['failed', 'bad'],
}

export function Auth() {
  const { auth, id, kind } = connection.value ?? {}
  const steps = entriesOf('auth')
  if (auth === undefined || id === undefined) return <Empty title="No server is connected." />
  const [word, tone] = WORDS[auth.status]
  const failed = steps.findLast((step) => step.isFailure === true)
  return (
    <div class="page wide-page" data-state={auth.status}>
      <div class="title-row">
        <h1>Authorization</h1>
        <Badge tone={tone}>{word}</Badge>
      </div>
      {auth.loginUrl === undefined ? null : (
        <div class="card warn">
          <h2>Log in</h2>
          <p>The login page opens in a new tab. This page continues when you are done.</p>
          <p class="break">
            <OutsideLink url={auth.loginUrl} />
          </p>
        </div>
      )}
      {auth.problem === undefined ? null : (
        <ProblemBox
          problem={auth.problem}
          title={failed === undefined ? 'The authorization failed' : `Failed at the step ${failed.step}`}
        />
      )}
      {auth.token === undefined ? null : <Token key={id} connection={id} token={auth.token} />}
      {steps.length === 0 ? (
        <Empty
          title={
            kind === 'command' ? 'A program on this machine needs no login.' : 'The server does not require a login.'
          }
        >
          <p class="hint">When a server at a URL requires a login, each step of it is shown here.</p>
        </Empty>
      ) : (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Steps of the authorization">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Step</th>
                <th scope="col">Status</th>
                <th scope="col">What happened</th>
              </tr>
            </thead>
            <tbody>
              {steps.map((step) => (
                <tr key={step.n}>
                  <td class="muted">{showTime(step.time)}</td>
                  <th scope="row">{step.step}</th>
                  <td>
                    {step.status === undefined ? null : (
                      <Badge tone={step.isFailure === true ? 'bad' : step.status < 400 ? 'good' : 'warn'}>
                        {step.status}
                      </Badge>
                    )}
                  </td>
                  <td class="break">
                    {clean(step.note)}
                    {step.url === undefined ? null : <div class="mono muted">{cleanLine(step.url)}</div>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}

function Token({ connection: id, token }: { connection: string; token: NonNullable<AuthState['token']> }) {
  const [claims, setClaims] = useState<Readonly<Record<string, unknown>> | 'none'>()
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const decode = () =>
    void request('claims', { connection: id })
      .then((answer) => setClaims(answer.claims ?? 'none'))
      .catch(() => setClaims('none'))
  return (
    <section class="card">
      <h2>Access token</h2>
      <dl class="facts">
        <dt>Token</dt>
        <dd class="mono">
          {token.preview}, {showExpiry(token.expiresAt, now)}
        </dd>
        <dt>Scopes</dt>
        <dd>{token.scopes.length === 0 ? 'none' : token.scopes.map(cleanLine).join(', ')}</dd>
      </dl>
      {claims === undefined ? (
        <p class="actions">
          <button type="button" class="button small" onClick={decode}>
            Show its claims
          </button>
        </p>
      ) : claims === 'none' ? (
        <p class="hint">The token has no claims that can be read.</p>
      ) : (
        <JsonValue value={claims} label="Claims" />
      )}
    </section>
  )
}

function showExpiry(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return 'the server gave no lifetime'
  const seconds = Math.floor((expiresAt - now) / 1_000)
  if (seconds <= 0) return 'expired'
  return `expires in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
