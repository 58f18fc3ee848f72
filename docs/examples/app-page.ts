import type { Client } from 'mcpwire/client'
import { type AppHost, mountView, readView, type ViewFrame } from 'mcpwire/extensions/apps'
import type { Tool } from 'mcpwire/types'

const SANDBOX = 'https://sandbox.example.com/view'

/** Calls a tool and shows its view. `frame` is an `<iframe>` in the document, without `src`. */
export async function show(
  client: Client,
  tool: Tool,
  city: string,
  frame: ViewFrame,
  sandbox = SANDBOX,
): Promise<AppHost> {
  const host = mountView(frame, {
    view: await readView(client, tool),
    client,
    sandboxUrl: sandbox,
    context: { theme: 'light', locale: 'en-US' },
    onOpenLink: (url) => confirm(`Open ${url}?`),
    onMessage: ({ content }) => console.log('The user says', content),
    onModelContext: ({ content }) => console.log('The model should know', content),
    onToolCall: ({ tool: { name } }) => console.log(`The view calls ${name}`),
    onSize: ({ height }) => frame.setAttribute('style', `height: ${height}px`),
  })
  host.sendInput({ city })
  try {
    host.sendResult(await client.callTool(tool.name, { city }))
  } catch (error) {
    host.sendCancelled(String(error))
  }
  return host
}

/** Lets the view save its state, then removes it. */
export async function hide(host: AppHost, frame: { remove(): void }): Promise<void> {
  await host.close('The user closed the view.')
  frame.remove()
}

declare function confirm(question: string): boolean
