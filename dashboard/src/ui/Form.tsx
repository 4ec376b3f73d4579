import { cloneElement, createContext, use, useEffect, useMemo, useRef, type ReactElement, type ReactNode } from 'react'
import { issueAt } from '../lib/field-issue.ts'

type FieldErrors = { failure: unknown; names: Set<string> }

const Context = createContext<FieldErrors | undefined>(undefined)

type Props = { failure: unknown; onSubmit: () => void; children: ReactNode }

/**
 * A form whose refusal is shown beside the fields that it is about. `Field` names a field; the FailureAlert in the form says
 * what is left.
 */
export function Form({ failure, onSubmit, children }: Props) {
  return (
    <FieldsAround failure={failure}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          // A form in a dialog is inside another form for React, though not in the page.
          event.stopPropagation()
          onSubmit()
        }}
      >
        {children}
      </form>
    </FieldsAround>
  )
}

/** What `Form` does about failures, for a form with a submission of its own. */
export function FieldsAround({ failure, children }: { failure: unknown; children: ReactNode }) {
  const around = useRef<HTMLDivElement>(null)
  const names = useRef(new Set<string>())
  const value = useMemo(() => ({ failure, names: names.current }), [failure])
  useEffect(() => {
    if (failure) around.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])
  return (
    <Context value={value}>
      <div ref={around}>{children}</div>
    </Context>
  )
}

type Input = { error?: ReactNode; 'aria-invalid'?: boolean }

/** Gives the input inside it what the server said about this field of the request. */
export function Field({ name, children }: { name: string; children: ReactElement<Input> }) {
  const context = use(Context)
  const names = context?.names
  useEffect(() => {
    names?.add(name)
    return () => {
      names?.delete(name)
    }
  }, [names, name])
  const issue = issueAt(context?.failure, name)
  // Mantine's password input has an error without being marked as invalid.
  return issue ? cloneElement(children, { error: issue, 'aria-invalid': true }) : children
}

/** The fields of the form around that show their part of this failure themselves. */
export function useFieldsShown(failure: unknown): readonly string[] {
  const context = use(Context)
  return context?.failure === failure ? [...(context?.names ?? [])] : []
}
