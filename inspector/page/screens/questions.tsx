// Questions: what servers wait for, and what they were told.
import { Empty } from '../parts/ui.tsx'
import { questions, waitingQuestions } from '../state/store.ts'
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
