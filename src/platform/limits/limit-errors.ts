import { defineErrors } from '../../errors.ts'

/** Too much at once, or too much in a while. */
export const limitErrors = defineErrors({
  too_many_failures: ['too_many_requests', 'Too many failed attempts. Try again in {wait:duration}.'],
  too_many_attempts_at_once: ['too_many_requests', 'Too many attempts at the same time. Try again in {wait:duration}.'],
  network_queue_full: [
    'too_many_requests',
    'Very many requests from your network are waiting. Try again in {wait:duration}.',
  ],
  sign_in_queue_full: ['unavailable', 'Very many people are signing in at this moment. Please try again.'],
})
