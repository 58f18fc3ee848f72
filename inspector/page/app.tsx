// The frame of the page: header, screens, and what is said to those who can't see it.
import { useEffect } from 'preact/hooks'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { useKeyboard } from './keyboard.ts'
import { Palette } from './palette.tsx'
import { cleanLine } from './parts/text.ts'
import { SCREEN_PARTS } from './screens/all.ts'
import { QuestionNotice } from './screens/question-notice.tsx'
import { route, type ScreenName } from './state/route.ts'
import { announcement, connection, link, snapshot } from './state/store.ts'

/** Where nobody has chosen: the overview once there is something to see. */
function currentScreen(): ScreenName {
  const { screen } = route.value
  const { status } = connection.value ?? {}
  const isOpen = status === 'ready' || status === 'lost'
  if (snapshot.value.connections.length === 0) return 'connect'
  return screen ?? (isOpen ? 'overview' : 'connect')
}

export function App() {
  useKeyboard()
  const name = currentScreen()
  const Screen = SCREEN_PARTS[name]
  useEffect(() => {
    const server = connection.value?.server
    document.title = server === undefined ? 'mcpwire inspector' : `${server.title ?? server.name} – mcpwire inspector`
  }, [connection.value?.server?.name])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header screen={name} />
      <LinkNotice />
      {route.value.unknown === undefined ? null : (
        <p class="notice" role="alert">
          There is no screen "{cleanLine(route.value.unknown).slice(0, 60)}". The screens are above.
        </p>
      )}
      <main id="main" class={`screen screen-${name}`} tabIndex={-1} data-screen={name}>
        <Screen />
      </main>
      <QuestionNotice screen={name} />
      <Palette />
      <Help />
      <p class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </>
  )
}

function LinkNotice() {
  if (link.value === 'refused') {
    return (
      <p class="notice" role="alert">
        This page has no session: its link was used before, or its inspector was stopped. In the terminal, press o (i in
        mcpwire dev) for a new link, or start the inspector again.
      </p>
    )
  }
  if (link.value !== 'lost') return null
  return (
    <p class="notice" role="alert">
      The inspector is not reachable. It may have been stopped. Trying again.
    </p>
  )
}
