// Questions: what servers wait for, and what they were told.
import { cleanLine } from '../parts/text.ts'
import { Empty } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { questions, snapshot, waitingQuestions } from '../state/store.ts'
import { QuestionCard } from './question-card.tsx'

export function Questions() {
  const ended = questions.value.filter(({ status }) => status !== 'waiting')
  return (
    <div class="page">
      <h1>Questions</h1>
      {waitingQuestions.value.length === 0 ? (
        <Empty title="No server waits for an answer.">
          <p class="hint">When a tool asks for input, the question appears here and beside the call.</p>
        </Empty>
      ) : null}
      {waitingQuestions.value.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      <KeptAnswers />
      {ended.length === 0 ? null : (
        <section>
          <h2>Earlier</h2>
          {ended.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
        </section>
      )}
    </div>
  )
}

function KeptAnswers() {
  const { answers } = snapshot.value
  if (answers.length === 0) return null
  return (
    <section>
      <h2>Answered by itself</h2>
      <ul class="plain-list">
        {answers.map(({ id, target, question, answer }) => (
          <li key={id} class="saved">
            <span class="break">
              {cleanLine(question)} <span class="muted">{cleanLine(target)}</span> <strong>{cleanLine(answer)}</strong>
            </span>
            <button
              type="button"
              class="button small"
              onClick={() => void request('forget-answer', { id }).catch(() => {})}
            >
              Ask me again<span class="visually-hidden"> {cleanLine(question)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
