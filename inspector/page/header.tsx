// The header: which server, how it is connected, and the screens.
import { useEffect, useRef } from 'preact/hooks'
import { helpIsOpen } from './help.tsx'
import { paletteIsOpen } from './palette.tsx'
import { cleanLine, showMs } from './parts/text.ts'
import { Badge } from './parts/ui.tsx'
import { SCREENS, type ScreenName } from './state/route.ts'
import { chosenConnection, connection, snapshot, waitingQuestions } from './state/store.ts'
import { nextTheme, theme } from './state/theme.ts'

export function Header({ screen }: { screen: ScreenName }) {
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme.value
  }, [theme.value])
  return (
    <header class="header">
      <div class="header-row">
        <span class="logo">
          mcpwire <span class="logo-word">inspector</span>
        </span>
        <Connection />
        <span class="spacer" />
        <button type="button" class="button small" onClick={() => (paletteIsOpen.value = true)}>
          Search <kbd>{navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'} K</kbd>
        </button>
        <button type="button" class="button small" aria-label={`Theme: ${theme.value}`} onClick={nextTheme}>
          <span class="wide-only">Theme: </span>
          {theme.value}
        </button>
        <button
          type="button"
          class="button small"
          aria-label="Keyboard shortcuts"
          onClick={() => (helpIsOpen.value = true)}
        >
          ?
        </button>
      </div>
      <Screens current={screen} />
    </header>
  )
}

function Connection() {
  const { connections } = snapshot.value
  const current = connection.value
  if (current === undefined) return null
  const { server, protocolVersion, era, latencyMs, status } = current
  return (
    <div class="header-connection">
      {connections.length > 1 ? (
        <select
          class="input small"
          aria-label="Connection"
          value={current.id}
          onChange={(event) => (chosenConnection.value = event.currentTarget.value)}
        >
          {connections.map(({ id, target, server: one, status: state }) => (
            <option key={id} value={id}>
              {cleanLine(one?.title ?? one?.name ?? target).slice(0, 60)} ({state})
            </option>
          ))}
        </select>
      ) : (
        <strong class="server-name">{cleanLine(server?.title ?? server?.name ?? current.target).slice(0, 80)}</strong>
      )}
      {server === undefined ? null : <span class="muted">{cleanLine(server.version).slice(0, 40)}</span>}
      {protocolVersion === undefined ? null : <Badge>{cleanLine(protocolVersion)}</Badge>}
      {era === undefined ? null : <Badge tone={era}>{era}</Badge>}
      {status === 'ready' ? (
        latencyMs === undefined ? null : (
          <span class="muted latency">{showMs(latencyMs)}</span>
        )
      ) : (
        <Badge tone={status === 'failed' || status === 'lost' ? 'bad' : 'warn'}>{status}</Badge>
      )}
    </div>
  )
}

function Screens({ current }: { current: ScreenName }) {
  const { counts = {}, tasks = [] } = connection.value ?? {}
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  const figures: Partial<Record<ScreenName, number | undefined>> = {
    tools: counts.tools,
    resources: counts.resources === undefined ? undefined : counts.resources + (counts.resourceTemplates ?? 0),
    prompts: counts.prompts,
    questions: waitingQuestions.value.length || undefined,
    tasks: tasks.length || undefined,
  }
  return (
    <nav class="screens" aria-label="Screens" ref={list}>
      {SCREENS.map(([name, label]) => (
        <a key={name} href={`#/${name}`} class="screen-link" aria-current={name === current ? 'page' : undefined}>
          {label}
          {figures[name] === undefined ? null : (
            <span class={`count ${name === 'questions' ? 'count-hot' : ''}`}>{figures[name]}</span>
          )}
        </a>
      ))}
    </nav>
  )
}
