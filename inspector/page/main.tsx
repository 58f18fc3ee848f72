// Starts the page.
import { render } from 'preact'
import { App } from './app.tsx'
import { takeToken } from './state/api.ts'
import { followEvents } from './state/events.ts'
import { followAddress } from './state/route.ts'

takeToken()
followAddress()
void followEvents()
const place = document.getElementById('app')
if (place !== null) render(<App />, place)
