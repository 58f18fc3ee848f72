// The screen and what is chosen on it, in the fragment of the address: a reload and the back button keep them.
import { signal } from '@preact/signals'

export const SCREENS = [
  ['connect', 'Connect', 'c'],
  ['overview', 'Overview', 'o'],
  ['tools', 'Tools', 't'],
  ['resources', 'Resources', 'r'],
  ['prompts', 'Prompts', 'p'],
  ['questions', 'Questions', 'q'],
  ['tasks', 'Tasks', 'k'],
  ['apps', 'Apps', 'a'],
  ['messages', 'Messages', 'm'],
  ['timeline', 'Timeline', 'i'],
  ['logs', 'Logs', 'l'],
  ['auth', 'Auth', 'u'],
  ['weight', 'Weight', 'w'],
] as const

export type ScreenName = (typeof SCREENS)[number][0]

export interface Route {
  readonly screen: ScreenName | undefined
  /** The tool, the URI, the number: what is chosen there. */
  readonly item: string | undefined
  /** A screen that there is not. */
  readonly unknown?: string
}

function readRoute(): Route {
  const [screen, item] = location.hash.replace(/^#\/?/, '').split('/')
  const known = SCREENS.find(([name]) => name === screen)?.[0]
  return {
    screen: known,
    item: item === undefined || item === '' ? undefined : decode(item),
    ...(known === undefined && screen !== '' && screen !== undefined && { unknown: decode(screen) ?? screen }),
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const route = signal<Route>({ screen: undefined, item: undefined })

export function followAddress(): void {
  route.value = readRoute()
  addEventListener('hashchange', () => {
    route.value = readRoute()
  })
}

export function goTo(screen: ScreenName, item?: string): void {
  location.hash = `#/${screen}${item === undefined ? '' : `/${encodeURIComponent(item)}`}`
}
