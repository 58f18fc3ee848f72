// The frame of a view. The page only carries messages between the frame and the backend, each checked by its window and origin.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ViewState } from '../../protocol/state.ts'
import { request } from '../state/api.ts'
import { entryListeners } from '../state/events.ts'
import { cleanLine } from './text.ts'

const MAX_MESSAGE_BYTES = 1024 * 1024
const MAX_PER_SECOND = 100
const MAX_HEIGHT = 4_000

export function ViewFrame({ view, width }: { view: ViewState; width: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const { origin } = new URL(view.url)
    const stop = carryMessages(element, view.id, origin, setProblem)
    // Last: the frame may speak as soon as it has an address.
    element.src = view.url
    return stop
  }, [view.id])
  const isFull = view.displayMode === 'fullscreen'
  const height = isFull ? '70vh' : `${Math.min(MAX_HEIGHT, Math.max(80, view.height ?? 320))}px`
  return (
    <>
      <iframe
        ref={frame}
        class="view-frame"
        title={`View of ${cleanLine(view.tool)}`}
        sandbox="allow-scripts allow-same-origin"
        allow={view.allow}
        referrerpolicy="no-referrer"
        style={{ height, width: width === 'auto' ? '100%' : width }}
      />
      {problem === undefined ? null : (
        <p class="issue" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

/** Returns the function that ends it. */
function carryMessages(
  frame: HTMLIFrameElement,
  view: string,
  origin: string,
  onProblem: (problem: string) => void,
): () => void {
  let order = Promise.resolve()
  let second = 0
  let count = 0
  const fromFrame = ({ source, origin: from, data }: MessageEvent) => {
    if (source !== frame.contentWindow || from !== origin) return
    const now = Math.floor(performance.now() / 1_000)
    count = now === second ? count + 1 : 1
    second = now
    if (count > MAX_PER_SECOND) return onProblem(`The view sends more than ${MAX_PER_SECOND} messages in a second.`)
    const size = JSON.stringify(data)?.length ?? 0
    if (size === 0 || size > MAX_MESSAGE_BYTES) return onProblem(`A message of the view has ${size} bytes.`)
    // One after the other: the order of messages matters.
    order = order
      .then(async () => void (await request('view-message', { view, message: data })))
      .catch((error: Error) => onProblem(error.message))
  }
  const toFrame = (entry: { type: string; view?: string; direction?: string; body?: string }) => {
    if (entry.type !== 'view' || entry.view !== view || entry.direction !== 'to-view') return
    frame.contentWindow?.postMessage(JSON.parse(entry.body ?? 'null'), origin)
  }
  addEventListener('message', fromFrame)
  entryListeners.add(toFrame)
  return () => {
    removeEventListener('message', fromFrame)
    entryListeners.delete(toFrame)
  }
}
