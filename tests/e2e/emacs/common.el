;;; common.el --- What the clients in Emacs have in common  -*- lexical-binding: t -*-

;;; Commentary:
;; Environment: WORKSPACE (folder with the files), RESULTS (file to write: one JSON object with what the editor saw),
;; PROMPTS (files to open, one a line).  Nothing is asserted: the test that starts a client does that.

;;; Code:

(require 'package)
;; Started with -Q, Emacs does not look where Debian's packages lie.
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'json)
(require 'cl-lib)

(defvar seen (make-hash-table :test 'equal))
(defvar workspace (file-name-as-directory (getenv "WORKSPACE")))

(defun saw (key value)
  (puthash key value seen))

(defun until-true (what condition)
  "Wait until CONDITION gives something and return it; WHAT says what is waited for."
  (let ((deadline (+ (float-time) 30)) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) deadline))
      (accept-process-output nil 0.05)
      (sit-for 0.01))
    (or found (error "%s did not come" what))))

(defun byte-column (position)
  (save-excursion
    (goto-char position)
    (string-bytes (encode-coding-string (buffer-substring (line-beginning-position) position) 'utf-8))))

(defun saw-diagnostics (found)
  "Record diagnostics; each of FOUND is a list of position, text and whether it is an error."
  (saw "diagnostics"
       (vconcat
        (mapcar
         (lambda (each)
           (cl-destructuring-bind (at text error) each
             (let ((told (make-hash-table :test 'equal)))
               (puthash "source" "callwright" told)
               (puthash "message" text told)
               (puthash "severity" (if error "ERROR" "OTHER") told)
               (puthash "lnum" (1- (line-number-at-pos at)) told)
               (puthash "col" (byte-column at) told)
               told)))
         found))))

(defun saw-prompts (codes)
  "Open each of the prompts, and record what CODES returns for it, a list, once there is something."
  (let ((found (make-hash-table :test 'equal)))
    (dolist (name (split-string (getenv "PROMPTS") "\n"))
      (find-file (expand-file-name name workspace))
      (puthash name (vconcat (until-true name codes)) found))
    (saw "prompts" found)))

(defun finish (body)
  "Run BODY, write what was seen, and end."
  (condition-case problem (funcall body) (error (saw "failure" (error-message-string problem))))
  (let ((coding-system-for-write 'utf-8))
    (with-temp-file (getenv "RESULTS")
      (insert (json-encode seen))))
  (kill-emacs 0))

(provide 'common)
;;; common.el ends here
