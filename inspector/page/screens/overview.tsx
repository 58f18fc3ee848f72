// Overview: what the server says about itself, and what both sides can do.
import { useEffect } from 'preact/hooks'
import { JsonValue } from '../parts/json.tsx'
import { clean, cleanLine, plural } from '../parts/text.ts'
import { Badge, Empty, OutsideLink, ProblemBox } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { lists, loadList } from '../state/lists.ts'
import { goTo, type ScreenName } from '../state/route.ts'
import { connection } from '../state/store.ts'
import { toTokens, weigh } from '../state/weight.ts'

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

export function Overview() {
  const current = connection.value
  useEffect(() => void loadList('tools'), [current?.id, current?.status])
  if (current === undefined) return <Empty title="No server is connected." />
  const { server, status, problem, counts, instructions, protocolVersion, offeredVersions, era } = current
  if (server === undefined) {
    return (
      <div class="page" data-state={status}>
        <h1>{status === 'connecting' ? 'Connecting' : 'Not connected'}</h1>
        {problem === undefined ? null : <ProblemBox problem={problem} title="Not connected" />}
        <button type="button" class="button" onClick={() => goTo('connect')}>
          Show the steps
        </button>
      </div>
    )
  }
  const weight = lists.value.tools.items.reduce((sum, tool) => sum + weigh(tool).total, 0)
  const figures: readonly (readonly [ScreenName, string, number | undefined])[] = [
    ['tools', 'tool', counts.tools],
    ['resources', 'resource', counts.resources],
    ['resources', 'template', counts.resourceTemplates],
    ['prompts', 'prompt', counts.prompts],
  ]
  return (
    <div class="page" data-state={status}>
      <div class="title-row">
        <h1>
          {cleanLine(server.title ?? server.name)} <span class="muted version">{cleanLine(server.version)}</span>
        </h1>
        <button
          type="button"
          class="button"
          onClick={() => void request('reconnect', { connection: current.id }).catch(() => {})}
        >
          Reconnect
        </button>
      </div>
      <p class="muted mono">{cleanLine(current.target)}</p>
      {server.description === undefined ? null : <p>{clean(server.description)}</p>}
      {server.websiteUrl === undefined ? null : (
        <p>
          <OutsideLink url={server.websiteUrl} />
        </p>
      )}
      {status === 'ready' ? null : (
        <p class="notice" role="status">
          The connection is {status}.{' '}
          {current.retryAt === undefined
            ? ''
            : `Reconnecting in ${Math.max(0, Math.ceil((current.retryAt - Date.now()) / 1000))} s.`}
        </p>
      )}
      {problem === undefined ? null : <ProblemBox problem={problem} title="The connection is lost" />}
      <ul class="figures">
        {figures.map(([screen, noun, count]) =>
          count === undefined ? null : (
            <li key={noun}>
              <a href={`#/${screen}`} class="figure">
                <strong>{count.toLocaleString('en')}</strong>
                <span>{plural(count, noun).replace(/^[\d,]+ /, '')}</span>
              </a>
            </li>
          ),
        )}
        {weight === 0 ? null : (
          <li>
            <a href="#/weight" class="figure">
              <strong>~{toTokens(weight).toLocaleString('en')}</strong>
              <span>tokens of tools (estimate)</span>
            </a>
          </li>
        )}
      </ul>
      {instructions === undefined ? null : (
        <section class="card">
          <h2>Instructions</h2>
          <p class="pre">{clean(instructions)}</p>
        </section>
      )}
      <div class="two">
        <section class="card">
          <h2>Protocol</h2>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Revision</th>
                <th scope="col">Era</th>
                <th scope="col">Server</th>
              </tr>
            </thead>
            <tbody>
              {REVISIONS.map((revision) => (
                <tr key={revision} class={revision === protocolVersion ? 'chosen' : ''}>
                  <th scope="row">{revision}</th>
                  <td>{revision === REVISIONS[0] ? 'modern' : 'legacy'}</td>
                  <td>{describeRevision(revision, protocolVersion, offeredVersions)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="help">
            {era === 'modern'
              ? 'Modern: each request stands alone and says its revision.'
              : 'Legacy: the connection begins with a handshake that fixes the revision.'}
          </p>
        </section>
        <section class="card">
          <h2>Extensions</h2>
          <Extensions capabilities={current.serverCapabilities} />
        </section>
      </div>
      <div class="two">
        <section class="card">
          <h2>The server can</h2>
          <JsonValue value={current.serverCapabilities ?? {}} label="Capabilities of the server" />
        </section>
        <section class="card">
          <h2>The inspector can</h2>
          <JsonValue value={current.clientCapabilities ?? {}} label="Capabilities of the inspector" />
        </section>
      </div>
    </div>
  )
}

function describeRevision(revision: string, chosen: string | undefined, offered: readonly string[] | undefined) {
  if (revision === chosen) return <Badge tone="good">in use</Badge>
  if (offered === undefined) return <span class="muted">not asked</span>
  return offered.includes(revision) ? 'offered' : <span class="muted">not offered</span>
}

function Extensions({ capabilities = {} }: { capabilities: Readonly<Record<string, unknown>> | undefined }) {
  const { extensions, experimental } = capabilities
  const names = [
    ...Object.keys(extensions ?? {}),
    ...Object.keys(experimental ?? {}).map((name) => `${name} (experimental)`),
  ]
  if (names.length === 0) return <p class="muted">The server declares none.</p>
  return (
    <ul class="plain-list">
      {names.map((name) => (
        <li key={name} class="mono">
          {cleanLine(name)}
        </li>
      ))}
    </ul>
  )
}
