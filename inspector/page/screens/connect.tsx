// Connect: what to connect to, the steps as they happen, and what to do where one fails.
import { useState } from 'preact/hooks'
import type { Confirmation } from '../../protocol/requests.ts'
import type { ConnectionState, Step } from '../../protocol/state.ts'
import { cleanLine, showMs } from '../parts/text.ts'
import { Badge, OutsideLink, ProblemBox } from '../parts/ui.tsx'
import { confirmKey, request } from '../state/api.ts'
import { goTo } from '../state/route.ts'
import { chosenConnection, snapshot } from '../state/store.ts'

interface HeaderRow {
  name: string
  value: string
}

const MODES = ['auto', 'modern', 'legacy', '2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

export function Connect() {
  const { connections } = snapshot.value
  return (
    <div class="page">
      <h1>Connect to a server</h1>
      <ConnectForm />
      {connections.length === 0 ? null : (
        <section aria-label="Connections">
          <h2>Connections</h2>
          {[...connections].reverse().map((one) => (
            <ConnectionCard key={one.id} connection={one} />
          ))}
        </section>
      )}
    </div>
  )
}

function ConnectForm() {
  const [target, setTarget] = useState('')
  const [mode, setMode] = useState('auto')
  const [headers, setHeaders] = useState<readonly HeaderRow[]>([])
  const [confirmation, setConfirmation] = useState<Confirmation>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const { recent, configured } = snapshot.value
  const connect = async (given: string, question?: string) => {
    setBusy(true)
    setProblem(undefined)
    try {
      const rows = headers.filter(({ name }) => name !== '')
      const answer = await request('connect', {
        target: given,
        mode,
        headers: rows,
        ...(question && { confirm: { question, key: confirmKey() } }),
      })
      if ('confirmation' in answer) setConfirmation(answer.confirmation)
      else {
        setConfirmation(undefined)
        chosenConnection.value = answer.connection
      }
    } catch (error) {
      setConfirmation(undefined)
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <form
        class="card connect-form"
        aria-label="Connect"
        onSubmit={(event) => {
          event.preventDefault()
          void connect(target)
        }}
      >
        <div class="field">
          <label for="target" class="label">
            URL, file or command
          </label>
          <div class="target-row">
            <input
              id="target"
              class="input mono"
              placeholder="http://localhost:3000/mcp"
              autocomplete="off"
              spellcheck={false}
              list="targets"
              value={target}
              onInput={(event) => setTarget(event.currentTarget.value)}
            />
            <button type="submit" class="button primary" disabled={target.trim() === '' || isBusy}>
              Connect
            </button>
          </div>
          <datalist id="targets">
            {recent.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <p class="help">A URL, a file such as server.ts, or a command such as npx -y some-server.</p>
        </div>
        <details>
          <summary>Mode and headers</summary>
          <div class="field">
            <label for="mode" class="label">
              Mode
            </label>
            <select id="mode" class="input" value={mode} onChange={(event) => setMode(event.currentTarget.value)}>
              {MODES.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
          <HeaderRows rows={headers} onChange={setHeaders} />
        </details>
        {problem === undefined ? null : (
          <p class="issue" role="alert">
            {cleanLine(problem)}
          </p>
        )}
      </form>
      {confirmation === undefined ? null : (
        <ConfirmCommand
          confirmation={confirmation}
          onYes={() => void connect(target, confirmation.question)}
          onNo={() => setConfirmation(undefined)}
        />
      )}
      {configured.length === 0 ? null : (
        <section aria-label="Configured servers">
          <h2>Configured on this machine</h2>
          <ul class="plain-list">
            {configured.map(({ name, from, target: one }) => (
              <li key={`${from} ${name}`}>
                <button type="button" class="link" onClick={() => setTarget(one)}>
                  {cleanLine(name)}
                </button>{' '}
                <span class="muted">{cleanLine(from)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function HeaderRows({
  rows,
  onChange,
}: {
  rows: readonly HeaderRow[]
  onChange: (rows: readonly HeaderRow[]) => void
}) {
  const set = (at: number, change: Partial<HeaderRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)))
  return (
    <fieldset class="group">
      <legend class="label">Headers</legend>
      {rows.map((row, index) => (
        <div class="target-row" key={index}>
          <input
            class="input"
            aria-label={`Name of header ${index + 1}`}
            placeholder="Name"
            autocomplete="off"
            value={row.name}
            onInput={(event) => set(index, { name: event.currentTarget.value })}
          />
          <input
            class="input"
            type="password"
            aria-label={`Value of header ${index + 1}`}
            placeholder="Value"
            autocomplete="off"
            value={row.value}
            onInput={(event) => set(index, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            class="icon"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(rows.filter((_row, at) => at !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="button small" onClick={() => onChange([...rows, { name: '', value: '' }])}>
        Add a header
      </button>
    </fieldset>
  )
}

function ConfirmCommand(props: { confirmation: Confirmation; onYes: () => void; onNo: () => void }) {
  const { words, env, cwd } = props.confirmation
  return (
    <section class="card warn" aria-label="Confirm the command" data-state="needs-confirmation">
      <h2>Start this program?</h2>
      <p>It runs on this machine with your rights. Start it only if you know it.</p>
      <ol class="words">
        {words.map((word, index) => (
          <li key={index}>
            <code>{cleanLine(word)}</code>
          </li>
        ))}
      </ol>
      {cwd === undefined ? null : (
        <p class="muted">
          In the folder <code>{cleanLine(cwd)}</code>
        </p>
      )}
      {env.length === 0 ? null : <p class="muted">With the variables {env.map(cleanLine).join(', ')}</p>}
      <p class="actions">
        <button type="button" class="button primary" onClick={props.onYes}>
          Start it
        </button>
        <button type="button" class="button" onClick={props.onNo}>
          Do not start it
        </button>
      </p>
    </section>
  )
}

function ConnectionCard({ connection }: { connection: ConnectionState }) {
  const { id, target, status, server, problem, steps, auth, retryAt } = connection
  const isOpen = status === 'ready'
  return (
    <article class="card" data-state={status} data-testid="connection">
      <div class="card-head">
        <h3 class="mono">{cleanLine(target)}</h3>
        <Badge tone={isOpen ? 'good' : status === 'failed' || status === 'lost' ? 'bad' : 'warn'}>{status}</Badge>
      </div>
      {server === undefined ? null : (
        <p>
          {cleanLine(server.title ?? server.name)} <span class="muted">{cleanLine(server.version)}</span>
        </p>
      )}
      <ol class="steps" aria-label="Steps">
        {steps.map((step) => (
          <StepLine key={step.name} step={step} kind={connection.kind} />
        ))}
      </ol>
      {problem === undefined ? null : (
        <ProblemBox problem={problem} title={status === 'lost' ? 'The connection is lost' : 'Not connected'} />
      )}
      {retryAt === undefined ? null : (
        <p class="muted">Reconnecting in {Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))} s</p>
      )}
      {auth.loginUrl === undefined ? null : (
        <div class="card warn">
          <h4>The server needs a login</h4>
          <p>Log in at this address. It opens in a new tab.</p>
          <p class="break">
            <OutsideLink url={auth.loginUrl} />
          </p>
        </div>
      )}
      <p class="actions">
        {isOpen ? (
          <button
            type="button"
            class="button primary"
            onClick={() => {
              chosenConnection.value = id
              goTo('tools')
            }}
          >
            Open tools
          </button>
        ) : null}
        <button type="button" class="button" onClick={() => void request('reconnect', { connection: id })}>
          Reconnect
        </button>
        <button type="button" class="button" onClick={() => void request('disconnect', { connection: id })}>
          Disconnect
        </button>
      </p>
      {status === 'failed' ? (
        <p class="help">
          Check each step in a terminal: <code>mcpwire doctor {cleanLine(target)}</code>
        </p>
      ) : null}
    </article>
  )
}

const SIGNS = { waiting: '·', running: '…', done: '✓', skipped: '–', failed: '✗' } as const

function StepLine({ step, kind }: { step: Step; kind: 'url' | 'command' }) {
  const labels = {
    resolve: 'Target understood',
    reach: kind === 'url' ? 'Server reached' : 'Program started',
    probe: 'Modern era probed',
    negotiate: 'Revision negotiated',
    list: 'Lists read',
  }
  return (
    <li class={`step step-${step.state}`}>
      <span class="step-sign" aria-hidden="true">
        {SIGNS[step.state]}
      </span>
      {labels[step.name]} <span class="visually-hidden">{step.state}</span>
      {step.ms === undefined ? null : <span class="muted"> {showMs(step.ms)}</span>}
      {step.note === undefined ? null : <span class="muted"> {step.note}</span>}
    </li>
  )
}
