import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/ShownOnceDialog.tsx'

export type Enrollment = { name: string; command: string }

/** The command that enrolls a host, with its token. */
export function CommandDialog({ enrollment, onClose }: { enrollment: Enrollment; onClose: () => void }) {
  const texts = useTexts('admin').hosts
  const warning = { icon: 'terminal' as const, title: texts.commandTitle, text: texts.commandText }
  return (
    <ShownOnceDialog title={enrollment.name} warning={warning} done={texts.done} onClose={onClose}>
      <CodeBlock label={texts.command} value={enrollment.command} wrap />
    </ShownOnceDialog>
  )
}
