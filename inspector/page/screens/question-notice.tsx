// Says that a server asks something. It moves the focus only where nobody is typing.
import { useEffect, useRef } from 'preact/hooks'
import { plural } from '../parts/text.ts'
import { goTo, route, type ScreenName } from '../state/route.ts'
import { announce, calls, waitingQuestions } from '../state/store.ts'

export function QuestionNotice({ screen }: { screen: ScreenName }) {
  const waiting = waitingQuestions.value
  const seen = useRef<string | undefined>(undefined)
  const newest = waiting.at(-1)?.id
  useEffect(() => {
    if (newest === undefined || newest === seen.current) return
    seen.current = newest
    announce('A server asks a question')
    requestAnimationFrame(() => {
      const isTyping = document.activeElement?.matches('input, textarea, select') === true
      const card = document.querySelector<HTMLElement>(`[data-question="${newest}"]`)
      if (!isTyping) card?.focus()
    })
  }, [newest])
  // Those of a call are beside it.
  const isShown =
    screen === 'questions' ||
    (screen === 'tools' &&
      waiting.every(({ call }) => calls.value.some(({ id, name }) => id === call && name === route.value.item)))
  if (waiting.length === 0 || isShown) return null
  return (
    <button type="button" class="toast" onClick={() => goTo('questions')}>
      {plural(waiting.length, 'question')} {waiting.length === 1 ? 'waits' : 'wait'} for an answer
    </button>
  )
}
