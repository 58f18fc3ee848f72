// What counts for topics.
import { equal, isTrue, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'
import { type Case, Heard } from './under-test.ts'

/** Listens with the second client, and waits until nothing is lost any more. */
async function listen(of: Case, topic = 't', client = of.other) {
  const heard = new Heard(of)
  const subscription = client.topics.subscribe(topic, heard.listener)
  await subscription.ready
  return { heard, subscription }
}

export const topicCases: ContractCases = {
  'publish: everybody who listens hears the message': async (of) => {
    const first = await listen(of)
    const second = await listen(of)
    await of.backend.topics.publish('t', 'm')
    await first.heard.until('m')
    await second.heard.until('m')
    equal('messages', [first.heard.all, second.heard.all], [['m'], ['m']])
  },

  'publish: the publisher hears its own messages': async (of) => {
    const { heard } = await listen(of, 't', of.backend)
    await of.backend.topics.publish('t', 'm')
    await heard.until('m')
  },

  'publish: nobody listens, and nothing is kept': async (of) => {
    await of.backend.topics.publish('t', 'before')
    const { heard } = await listen(of)
    await of.backend.topics.publish('t', 'after')
    await heard.until('after')
    equal('messages', heard.all, ['after'])
  },

  'publish: messages of one publisher arrive in order': async (of) => {
    const { heard } = await listen(of)
    const messages = Array.from({ length: 100 }, (_, index) => `m${index}`)
    await Promise.all(messages.map((message) => of.backend.topics.publish('t', message)))
    await heard.until('m99')
    equal('messages', heard.all, messages)
  },

  'publish: a topic does not reach listeners of another': async (of) => {
    const { heard } = await listen(of, 't')
    for (const topic of ['t1', 'T', 't:1', 'tt', 't.']) await of.backend.topics.publish(topic, `for ${topic}`)
    await of.backend.topics.publish('t', 'm')
    await heard.until('m')
    equal('messages', heard.all, ['m'])
  },

  'publish: takes any text, byte for byte': async (of) => {
    const { heard } = await listen(of)
    const texts = ['', '\0', 'a\r\nb', 'ä€😀', '"\\ %s', '\u2028', 'end']
    for (const text of texts) await of.backend.topics.publish('t', text)
    await heard.until('end')
    equal('messages', heard.all, texts)
  },

  'publish: takes a large message': async (of) => {
    const { heard } = await listen(of)
    const message = 'x'.repeat(Math.min(200_000, of.maxValueBytes))
    await of.backend.topics.publish('t', message)
    await of.until('the message', () => heard.all.length > 0)
    isTrue('the same message', heard.all[0] === message)
  },

  'publish: refuses what is too large': async ({ backend, maxValueBytes }) => {
    await rejects('too-large', 'topics.publish', () => backend.topics.publish('t', 'x'.repeat(maxValueBytes * 2 + 1)))
  },

  'publish, subscribe: refuse names of another shape': async ({ backend }) => {
    const listener = { message: () => {}, missed: () => {} }
    for (const topic of ['', 'a b', 'a*', 'x'.repeat(201), 'ä']) {
      await rejects('refused', 'topics.publish', () => backend.topics.publish(topic, 'm'))
      await rejects('refused', 'topics.subscribe', () => backend.topics.subscribe(topic, listener).ready)
    }
  },

  'subscribe: a listener that throws costs only itself': async (of) => {
    let thrown = 0
    const thrower = {
      message: () => {
        thrown += 1
        throw new Error('This listener always throws.')
      },
      missed: () => {},
    }
    await of.other.topics.subscribe('t', thrower).ready
    const { heard } = await listen(of)
    await of.backend.topics.publish('t', 'a')
    await of.backend.topics.publish('t', 'b')
    await heard.until('b')
    equal('messages', [heard.all, thrown], [['a', 'b'], 2])
  },

  'subscribe: the same listener twice is called twice': async (of) => {
    const { heard } = await listen(of)
    const second = of.other.topics.subscribe('t', heard.listener)
    await second.ready
    await of.backend.topics.publish('t', 'm')
    await of.until('both', () => heard.all.length === 2)
    second.close()
    await of.backend.topics.publish('t', 'n')
    await heard.until('n')
    equal('messages', heard.all, ['m', 'm', 'n'])
  },

  'close: nothing is heard afterwards, and closing twice does nothing': async (of) => {
    const { heard, subscription } = await listen(of)
    const other = await listen(of)
    subscription.close()
    subscription.close()
    await of.backend.topics.publish('t', 'm')
    await other.heard.until('m')
    equal('messages', [heard.all, other.heard.all], [[], ['m']])
  },

  'close: before it is ready, and a new subscription works': async (of) => {
    const heard = new Heard(of)
    const early = of.other.topics.subscribe('t', heard.listener)
    early.close()
    await early.ready
    const { heard: second } = await listen(of)
    await of.backend.topics.publish('t', 'm')
    await second.until('m')
    equal('messages', heard.all, [])
  },

  'subscribe: a listener may subscribe, publish and close': async (of) => {
    const heard = new Heard(of)
    const subscription = of.other.topics.subscribe('t', {
      message: (text) => {
        heard.all.push(text)
        subscription.close()
        of.other.topics.subscribe('t2', heard.listener).ready.then(
          () => of.other.topics.publish('t2', 'second'),
          () => {},
        )
      },
      missed: () => {},
    })
    await subscription.ready
    await of.backend.topics.publish('t', 'first')
    await heard.until('second')
    equal('messages', heard.all, ['first', 'second'])
  },

  'close of the backend: ends its subscriptions': async (of) => {
    const { heard } = await listen(of, 't', of.backend)
    await of.backend.close()
    await of.backend.open()
    const { heard: second } = await listen(of, 't', of.backend)
    await of.backend.topics.publish('t', 'm')
    await second.until('m')
    equal('messages', heard.all, [])
  },
}
