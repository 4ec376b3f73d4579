import { type FormErrors, useForm, type UseFormReturnType } from '@mantine/form'
import { type ReactNode, type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { placeIssues } from '../lib/field-issue.ts'
import { useUnsavedChanges } from '../lib/unsaved-changes.ts'
import { ignoreHeldEnter, useSubmit } from '../lib/use-submit.ts'

type Options<Values extends Record<string, unknown>> = {
  initialValues: Values
  /** Whether the browser checks the fields too. It shows one error at a time, before `validate` is asked. */
  browserChecks?: boolean
  /** What is wrong with each field. */
  validate?: (values: Values) => FormErrors
  submit: (values: Values) => Promise<unknown>
  onSuccess?: () => void
  /** After each change of a value. */
  onChange?: () => void
  readOnly?: boolean
  /** The field for a part of the request that has another name. */
  shownAt?: Readonly<Record<string, string>>
  /** Whether the next submit only shows what would happen: what was entered is not saved by it. */
  isPreview?: boolean
  /** Whether what was entered may be lost without a question. */
  isDisposable?: boolean
}

export type SubmitForm<Values = Record<string, unknown>> = UseFormReturnType<Values> & {
  busy: boolean
  isSaved: boolean
  /** Why the last attempt failed, and as much of it as no field shows. */
  failure: unknown
  unplaced: unknown
  /** Whether something was entered that would be lost. */
  hasInput: boolean
  clearFailure: () => void
  /** What `Form` needs. */
  element: RefObject<HTMLFormElement | null>
  browserChecks: boolean
  send: (event?: SubmitEvent<HTMLFormElement>) => void
}

/** What a part of a form needs of it. */
export type FormFields<Values = Record<string, unknown>> = Pick<
  UseFormReturnType<Values>,
  | 'values'
  | 'getInputProps'
  | 'setFieldValue'
  | 'clearFieldError'
  | 'insertListItem'
  | 'removeListItem'
  | 'reorderListItem'
>

/**
 * A form that is sent to the server. What the server says about a field is shown at the input that has the path of that field;
 * the first field with an error gets the focus.
 */
export function useSubmitForm<Values extends Record<string, unknown>>({
  initialValues,
  browserChecks = true,
  validate,
  submit,
  onSuccess,
  onChange,
  readOnly = false,
  shownAt = {},
  isPreview = false,
  isDisposable = false,
}: Options<Values>): SubmitForm<Values> {
  const element = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  const [unplaced, setUnplaced] = useState<unknown>()
  const submission = useSubmit(
    async (values: Values) => {
      await submit(values)
      if (!isPreview) form.resetDirty(values)
    },
    {
      onFailure(failure) {
        const placed = placeIssues(failure, fieldsIn(element.current), shownAt)
        form.setErrors(placed.errors)
        setUnplaced(placed.unplaced)
        setAttempts((before) => before + 1)
      },
      ...(onSuccess ? { onSuccess } : {}),
    },
  )
  const clearFailure = () => {
    submission.reset()
    setUnplaced(undefined)
  }
  const form = useForm<Values>({
    initialValues,
    ...(validate ? { validate } : {}),
    onValuesChange() {
      clearFailure()
      onChange?.()
    },
    enhanceGetInputProps: ({ inputProps, options }) => ({
      // Mantine's password input has an error without being marked as invalid.
      ...(inputProps.error ? { 'aria-invalid': true } : {}),
      ...(readOnly ? { [options.type === 'checkbox' ? 'disabled' : 'readOnly']: true } : {}),
    }),
  })
  useEffect(() => {
    if (attempts === 0) return
    unfoldInvalid(element.current)
    firstInvalid(element.current)?.focus()
  }, [attempts])
  // Mantine's own answer leaves out a list that was changed after a field was changed back.
  const isChanged = JSON.stringify(form.values) !== JSON.stringify(form.getInitialValues())
  const hasInput = isChanged && !submission.busy && !isDisposable
  useUnsavedChanges(hasInput)

  const send = form.onSubmit(
    (values) => {
      setUnplaced(undefined)
      submission.run(values)
    },
    () => setAttempts((before) => before + 1),
  )
  return {
    ...form,
    busy: submission.busy,
    isSaved: submission.isDone && !isChanged,
    failure: submission.failure,
    unplaced,
    hasInput,
    clearFailure,
    element,
    browserChecks,
    send,
  }
}

type Props = { form: Pick<SubmitForm, 'element' | 'browserChecks' | 'send'>; children: ReactNode }

export function Form({ form, children }: Props) {
  return (
    <form
      ref={form.element}
      noValidate={!form.browserChecks}
      onKeyDown={ignoreHeldEnter}
      onSubmit={(event) => {
        // A form in a dialog is inside another form for React, though not in the page.
        event.stopPropagation()
        form.send(event)
      }}
    >
      {children}
    </form>
  )
}

/** The paths of the inputs that are on the page now. */
const fieldsIn = (form: HTMLElement | null): string[] =>
  [...(form?.querySelectorAll<HTMLElement>('[data-path]') ?? [])].map(({ dataset }) => dataset['path'] ?? '')

/** What is folded can neither be seen nor have the focus. */
function unfoldInvalid(form: HTMLElement | null): void {
  for (const folded of form?.querySelectorAll<HTMLDetailsElement>('details:has([aria-invalid="true"])') ?? [])
    folded.open = true
}

const firstInvalid = (form: HTMLElement | null): HTMLElement | null | undefined =>
  form?.querySelector<HTMLElement>(
    ':is(input, textarea, select, button)[aria-invalid="true"], [aria-invalid="true"] :is(input, textarea, select)',
  )
