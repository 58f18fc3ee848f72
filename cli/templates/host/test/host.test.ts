import { expect, test } from 'vitest'
import { server as booking } from '../servers/booking.ts'
import { server as clock } from '../servers/clock.ts'
import { createHost } from '../src/host.ts'
import { answerForm } from '../src/questions.ts'

for (const mode of ['legacy', 'modern'] as const) {
  test(`uses two servers and answers a question (${mode})`, async () => {
    const answers = ['2', 'yes']
    const questions: string[] = []
    const host = createHost()
    await host.connectToServer(clock, { name: 'clock', mode })
    await host.connectToServer(booking, {
      name: 'booking',
      mode,
      onElicitation: (question) =>
        answerForm(question, async (text) => {
          questions.push(text)
          return answers.shift()
        }),
    })
    expect([...host.tools.keys()]).toEqual(['clock_now', 'booking_free_days', 'booking_book'])
    const { content } = await host.callTool('booking_book', { day: 'Friday' })
    expect(content).toMatchObject([{ text: 'Booked: Friday, 2 guests, outside.' }])
    expect(questions).toEqual(['A table on Friday? guests: ', 'A table on Friday? outside: '])
    await host.close()
  })

  test(`books nothing where nobody answers (${mode})`, async () => {
    const host = createHost()
    const onElicitation = () => ({ action: 'cancel' }) as const
    await host.connectToServer(booking, { name: 'booking', mode, onElicitation })
    const { content } = await host.callTool('booking_book', { day: 'Friday' })
    expect(content).toMatchObject([{ text: 'Nothing was booked.' }])
    await host.close()
  })
}
