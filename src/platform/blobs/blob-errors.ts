import { defineErrors } from '../../errors.ts'

export const blobErrors = defineErrors({
  disk_unavailable: ['unavailable', 'Pictures can’t be stored at the moment. Please try again.'],
  object_store_unavailable: ['unavailable', 'The object store is briefly unavailable. Please try again.'],
})
