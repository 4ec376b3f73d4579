import { Button, FileButton, type ButtonProps } from '@mantine/core'
import { useRef, type ReactNode } from 'react'

type Props = Pick<ButtonProps, 'size' | 'disabled'> & {
  accept: string
  onChosen: (file: File) => void
  'data-autofocus'?: boolean
  children: ReactNode
}

/** A button that opens the browser's dialog for files. */
export function ChooseFileButton({ accept, onChosen, ...button }: Props) {
  const forget = useRef<() => void>(null)
  const choose = (file: File | null) => {
    // A browser reports no change when the same file is chosen again, as it is after it was corrected.
    forget.current?.()
    if (file) onChosen(file)
  }
  return (
    <FileButton accept={accept} resetRef={forget} onChange={choose}>
      {(opener) => <Button variant="default" {...button} {...opener} />}
    </FileButton>
  )
}
