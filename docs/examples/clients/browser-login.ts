import { oauth } from 'mcpwire/auth'
import { Client } from 'mcpwire/client'

/** Call it from a click: browsers block pop-ups otherwise. */
export async function connectWithLogin(url: string) {
  const redirectUri = `${location.origin}/callback.html`
  const popup = window.open('about:blank', 'login', 'popup')
  const auth = oauth({
    clientName: 'My page',
    redirectUri,
    redirect: (page) => {
      if (popup) popup.location.href = page.href
    },
    callback: ({ signal }) =>
      new Promise((resolve) => {
        const arrived = ({ data, origin }: MessageEvent) => {
          if (origin !== location.origin) return
          if (typeof data === 'string') resolve(data)
        }
        window.addEventListener('message', arrived, { signal })
      }),
  })
  return await Client.connect(url, { auth })
}
