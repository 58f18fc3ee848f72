// inspector I2: each screen in each of its states, in both eras, light and dark.
import { expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.ts'
import { InspectorPage } from './inspector-page.ts'
import { createWorld } from './support.ts'

const isFull = process.env['FULL_TESTS'] === '1'

describeInChromium('the inspector in Chromium', (visit) => {
  it.each(['modern', 'legacy'])(
    'inspector I2 one path: a call with a form, progress, a question and a result, %s',
    (mode) =>
      visit(async (page) => {
        await using world = await createWorld({ mode })
        const own = await InspectorPage.open(page, world)
        await page.getByRole('heading', { name: 'The shop' }).waitFor()
        expect(await page.locator('.badge', { hasText: mode }).first().isVisible()).toBe(true)
        await own.order()
        await own.look(`${mode}-tools-waiting`)
        await page.getByRole('checkbox', { name: /I am sure/ }).check()
        await own.button('Answer').click()
        await own.result('done').waitFor()
        await page.getByText('"ordered"').first().waitFor()
        const flow = await page.locator('.flow-role').allTextContents()
        // The same words in both eras.
        expect(flow.filter((role) => !/progress|log/.test(role)).map((role) => role.split(',')[0])).toEqual([
          'call',
          'question of the server',
          'answer',
          'result',
        ])
        await own.look(`${mode}-tools-done`)
        await own.expectNoOffences()
      }),
  )
})

describeInChromium('every screen of the inspector', (visit) => {
  it.runIf(isFull).each(['modern', 'legacy'])(
    'inspector I2 every screen and state works and is accessible, %s',
    (mode) =>
      visit(async (page) => {
        await using world = await createWorld({ mode })
        const own = await InspectorPage.open(page, world)
        const look = (state: string) => own.look(`${mode}-${state}`)
        await page.getByRole('heading', { name: 'The shop' }).waitFor()
        await look('overview')

        await own.show('Connect')
        await page.locator('[data-testid="connection"][data-state="ready"]').waitFor()
        await look('connect-ready')

        await own.show('Questions')
        await page.getByText('No server waits for an answer.').waitFor()
        await look('questions-none')
        await own.show('Tasks')
        await look('tasks-none')
        await own.show('Apps')
        await look('apps-list')
        await own.show('Timeline')
        await look('timeline-none')

        await own.show('Tools')
        await page.getByText('Choose a tool.').waitFor()
        await page.getByText('to filter the list').waitFor()
        await look('tools-none-chosen')
        await own.showTool('order')
        await own.button('Call').click()
        await page.getByText('The arguments do not fit the schema.').waitFor()
        await own.button('Send anyway').waitFor()
        // The field that is wrong has the focus, and is in view in a form of any length.
        await page.locator('.work input:focus[aria-invalid="true"]').waitFor()
        await look('tools-invalid')
        await page.getByRole('tab', { name: 'JSON' }).first().click()
        await page.getByRole('textbox').last().fill('{ "item": }')
        await page.getByText('This is not JSON.').waitFor()
        await page
          .getByText(/line 1 column/)
          .first()
          .waitFor()
        await look('tools-json-invalid')
        await page.reload()
        await own.order()
        await own.show('Questions')
        await page.getByRole('article', { name: 'The server asks you' }).waitFor()
        await look('questions-waiting')
        await own.button('Decline').click()
        await page.getByText('declined', { exact: true }).waitFor()
        await look('questions-answered')

        await own.showTool('order')
        await own.result('failed').waitFor()
        await page.getByText('Tool error', { exact: true }).waitFor()
        await look('tools-tool-error')
        await own.showTool('add')
        await page.getByRole('textbox', { name: /^a/ }).fill('one')
        await own.button('Call').click()
        await own.button('Send anyway').click()
        await own.result('failed').waitFor()
        await look('tools-refused')
        await own.showTool('picture')
        await own.button('Call').click()
        await page.getByRole('img', { name: /image\/png/ }).waitFor()
        await look('tools-picture')

        await own.showTool('wait')
        await own.button('Call').click()
        await page.getByText('half way').waitFor()
        await look('tools-running')
        await own.result('running').getByRole('button', { name: 'Cancel' }).click()
        await own.result('cancelled').waitFor()
        await look('tools-cancelled')

        await own.showTool('grow')
        await own.button('Call').click()
        await page.getByText('The server changed its tools.').waitFor()
        await look('tools-changed')
        const before = await page.locator('[data-list] .item').count()
        await own.button('Refresh').click()
        await expect.poll(() => page.locator('[data-list] .item').count()).toBe(before + 1)

        await own.showTool('report')
        await own.button('Call').click()
        await own.result('done').waitFor()
        await own.show('Tasks')
        if (mode === 'modern') {
          await page.getByRole('button', { name: 'Result' }).first().click()
          await own.result('done').waitFor()
        }
        await look('tasks')

        await own.order()
        await page.getByRole('checkbox', { name: /I am sure/ }).check()
        await own.button('Answer').click()
        await own.result('done').waitFor()
        await look('tools-done-again')

        await own.show('Resources')
        await own.item('Today').click()
        await own.button('Read').click()
        await page.getByText('Buy milk.').waitFor()
        await look('resources-text')
        await own.item('Raw').click()
        await own.button('Read').click()
        await page.getByText(/000000/).waitFor()
        await page.getByText('application/octet-stream, 7 B', { exact: true }).waitFor()
        await look('resources-hex')
        await own.item('Stock').click()
        await page.getByLabel('item').fill('pen')
        await own.button('Read').click()
        await page.getByText('"left"').first().waitFor()
        await look('resources-template')

        await own.show('Prompts')
        await own.item('review').click()
        await page.getByLabel('item').fill('lamp')
        await own.button('Get the prompt').click()
        await page.getByText('Please review the order of lamp.').waitFor()
        await look('prompts')

        await own.show('Messages')
        await page.locator('.message-row').last().click()
        await page.getByRole('heading', { level: 2 }).waitFor()
        await look('messages-live')
        await page.getByRole('searchbox').fill('tools/call')
        await look('messages-filtered')
        await own.button('Pause').click()
        await look('messages-paused')
        await page.getByRole('searchbox').fill('')
        await page.locator('.http-row').first().click()
        await page.getByRole('heading', { name: /^HTTP POST/ }).waitFor()
        await look('messages-http')

        await own.show('Timeline')
        await page.locator('.bar-row').first().waitFor()
        await look('timeline')
        await own.show('Logs')
        await page.locator('.log-row', { hasText: 'ordered book' }).first().click()
        await look('logs')
        await own.show('Auth')
        await page.getByText('not protected').waitFor()
        await look('auth-none')
        await own.show('Weight')
        await page.getByRole('table').waitFor()
        await look('weight')

        await page.keyboard.press('Control+k')
        await page.getByRole('combobox').fill('order')
        await look('palette')
        await page.keyboard.press('Escape')
        await page.keyboard.press('?')
        await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
        await look('help')
        await page.keyboard.press('Escape')
        await own.expectNoOffences()
      }),
  )

  it.runIf(isFull).each(['modern', 'legacy'])('inspector I2 every kind of question can be answered, %s', (mode) =>
    visit(async (page) => {
      await using world = await createWorld({ mode })
      const own = await InspectorPage.open(page, world)
      await own.showTool('write')
      await own.button('Call').click()
      await page.getByRole('article', { name: 'The server asks for a message of a model' }).waitFor()
      await page.getByText('Write a poem about lamps.').waitFor()
      await own.look(`${mode}-question-sampling`)
      await page.getByLabel('Your answer, in place of a model').fill('Lamps are bright.')
      await own.button('Answer').click()
      await own.result('done').getByText('Lamps are bright.').first().waitFor()

      await own.showTool('folders')
      await own.button('Call').click()
      await page.getByLabel('Folders as URIs, one on each line').fill('file:///home/ada')
      await own.look(`${mode}-question-roots`)
      await own.button('Answer').click()
      await own.result('done').getByText('file:///home/ada').first().waitFor()

      await own.showTool('visit')
      await own.button('Call').click()
      const link = page.getByRole('link', { name: 'https://pay.example.com/lamp' })
      await link.waitFor()
      expect(await link.getAttribute('rel')).toContain('noopener')
      await own.look(`${mode}-question-url`)
      await own.button('I agree to visit it').click()
      await own.result('done').getByText('You said accept.').first().waitFor()
      await own.expectNoOffences()
    }),
  )

  it.runIf(isFull)(
    'inspector I2 connecting: nothing chosen, a failure with its step and fix, a command to confirm',
    () =>
      visit(async (page) => {
        await using world = await createWorld({ isConnected: false })
        const own = await InspectorPage.open(page, world)
        await page.getByRole('heading', { name: 'Connect to a server' }).waitFor()
        await own.look('connect-idle')
        await page.getByLabel('URL, file or command').fill('http://127.0.0.1:1/mcp')
        await own.button('Connect').click()
        await page.locator('[data-testid="connection"][data-state="failed"]').waitFor()
        await page.getByText('Check that the server is running, and the host and port of the URL.').waitFor()
        await page
          .getByText('Could not connect to http://127.0.0.1:1/mcp: nothing accepts connections there.', { exact: true })
          .waitFor()
        await own.look('connect-failed')
        await page.getByLabel('URL, file or command').fill(`${process.execPath} -e 0`)
        await own.button('Connect').click()
        await page.getByRole('heading', { name: 'Start this program?' }).waitFor()
        expect(await page.locator('.words code').allTextContents()).toEqual([process.execPath, '-e', '0'])
        await own.look('connect-confirm')
        await own.button('Do not start it').click()
        await page.getByText('Mode and headers').click()
        await own.button('Add a header').click()
        await own.look('connect-headers')
        await page.getByLabel('URL, file or command').fill(world.serverUrl)
        await own.button('Connect').click()
        await page.getByRole('heading', { name: 'The shop' }).waitFor()
        await own.expectNoOffences()
      }),
  )
})
