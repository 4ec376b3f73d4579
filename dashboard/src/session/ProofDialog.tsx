import { Button, Modal } from '@mantine/core'
import type { Asked } from '../api/prove-again.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import ProofForm from './ProofForm.tsx'

type Props = Asked & {
  email: string
  onEnd: (isProven: boolean) => void
}

/** Asks over the page who has the session. What was to be done goes on after that, and what was entered stays. */
export default function ProofDialog({ onEnd, ...asked }: Props) {
  const texts = useTexts('proof')
  return (
    <Modal opened onClose={() => onEnd(false)} title={texts.title} withCloseButton={false} zIndex={400}>
      <ProofForm {...asked} text={asked.acr === undefined ? texts.text : texts.stepUp} onProven={() => onEnd(true)}>
        <Button variant="subtle" onClick={() => onEnd(false)}>
          {texts.cancel}
        </Button>
      </ProofForm>
    </Modal>
  )
}
