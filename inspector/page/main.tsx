// Starts the page.
import { render } from 'preact'
import { App } from './app.tsx'
import { openSession } from './state/api.ts'
import { followEvents } from './state/events.ts'
import { followAddress } from './state/route.ts'

const opening = openSession()
followAddress()
void opening.then(followEvents)
const place = document.getElementById('app')
if (place !== null) render(<App />, place)
