;;; client.el --- Drives the server from a batch Emacs with eglot  -*- lexical-binding: t -*-

;;; Commentary:
;; Diagnostics, a code action, completion, hover, as a user of eglot has them.
;; Environment: SERVER (the server's command, words separated by newlines), WORKSPACE (folder with the files), RESULTS
;; (file to write: one JSON object with what the editor saw), SETUP (the set-up of the page, with that command), PROMPTS
;; (files to open with it, one a line).  It asserts nothing: the test that starts it does.

;;; Code:

(require 'package)
;; Started with -Q, Emacs does not look where Debian's packages lie.
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'eglot)
(require 'flymake)
(require 'json)
(require 'cl-lib)

(defvar seen (make-hash-table :test 'equal))
(defvar workspace (getenv "WORKSPACE"))

(define-derived-mode callwright-prompt-mode text-mode "Prompt")
(put 'callwright-prompt-mode 'eglot-language-id "callwright-prompt")
(add-to-list 'eglot-server-programs (cons 'callwright-prompt-mode (split-string (getenv "SERVER") "\n")))
(setq eglot-sync-connect 60
      eglot-autoshutdown nil
      eglot-events-buffer-size 200000
      eglot-confirm-server-initiated-edits nil
      flymake-no-changes-timeout 0.1)

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

(defun run ()
  (find-file (expand-file-name "debug/agent.prompt" workspace))
  (callwright-prompt-mode)
  ;; What `M-x eglot' does with the entry above.
  (apply #'eglot (eglot--guess-contact))
  (saw "encoding" "utf-16")
  (flymake-mode 1)
  (flymake-start)
  (let* ((found (until-true "diagnostics" #'flymake-diagnostics))
         (first (car found)))
    (saw "diagnostics"
         (vconcat
          (mapcar
           (lambda (each)
             (let ((at (flymake-diagnostic-beg each)) (told (make-hash-table :test 'equal)))
               (puthash "source" "callwright" told)
               (puthash "message" (flymake-diagnostic-text each) told)
               (puthash "severity" (if (eq (flymake-diagnostic-type each) 'eglot-error) "ERROR" "OTHER") told)
               (puthash "lnum" (1- (line-number-at-pos at)) told)
               (puthash "col" (byte-column at) told)
               told))
           found)))
    (saw "before" (string-trim-right (buffer-string) "\n"))
    (goto-char (flymake-diagnostic-beg first))
    (let* ((server (eglot-current-server))
           (actions (jsonrpc-request
                     server :textDocument/codeAction
                     (list :textDocument (eglot--TextDocumentIdentifier)
                           :range (list :start (eglot--pos-to-lsp-position (flymake-diagnostic-beg first))
                                        :end (eglot--pos-to-lsp-position (flymake-diagnostic-end first)))
                           :context (list :diagnostics [] :only ["quickfix"]))))
           (action (cl-find-if (lambda (each) (string-match-p "\\`Convert .*JSON" (plist-get each :title))) actions)))
      (unless action (error "No conversion is offered"))
      (unless (plist-get action :edit)
        (setq action (jsonrpc-request server :codeAction/resolve action)))
      (eglot--apply-workspace-edit (plist-get action :edit))))
  (saw "after" (string-trim-right (buffer-string) "\n"))
  (eglot--signal-textDocument/didChange)
  (until-true "a clean buffer" (lambda () (null (flymake-diagnostics))))
  (goto-char (point-max))
  (insert "\n🐞 <debug_set")
  (eglot--signal-textDocument/didChange)
  (let* ((answer (jsonrpc-request (eglot-current-server) :textDocument/completion (eglot--TextDocumentPositionParams)))
         (items (if (vectorp answer) answer (plist-get answer :items))))
    (saw "completion" (vconcat (mapcar (lambda (each) (plist-get each :label)) items)))
    (let ((item (cl-find "debug_set_breakpoint" items :key (lambda (each) (plist-get each :label)) :test #'string=)))
      (eglot--apply-text-edits (vector (plist-get item :textEdit)))))
  (goto-char (point-max))
  (saw "completed" (buffer-substring (line-beginning-position) (line-end-position)))
  (eglot--signal-textDocument/didChange)
  (goto-char (point-min))
  (search-forward "debug_launch")
  (backward-char 3)
  (let ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (saw "hover" (let ((contents (plist-get answer :contents)))
                   (if (stringp contents) contents (plist-get contents :value))))))

(defun run-prompts ()
  (with-temp-buffer
    (insert (getenv "SETUP"))
    (eval-buffer))
  (let ((found (make-hash-table :test 'equal)))
    (dolist (name (split-string (getenv "PROMPTS") "\n"))
      (find-file (expand-file-name name workspace))
      ;; What `eglot-ensure' waits for, which a batch never reaches.
      (run-hooks 'post-command-hook)
      (flymake-mode 1)
      (flymake-start)
      (puthash name
               (vconcat (mapcar #'flymake-diagnostic-text (until-true name #'flymake-diagnostics)))
               found))
    (saw "prompts" found)))

(let ((failure nil))
  (condition-case problem (progn (run) (run-prompts)) (error (setq failure (error-message-string problem))))
  (when failure
    (saw "failure" failure))
  (let ((coding-system-for-write 'utf-8))
    (with-temp-file (getenv "RESULTS")
      (insert (json-encode seen))))
  (ignore-errors (eglot-shutdown (eglot-current-server) nil 5))
  (kill-emacs 0))

;;; client.el ends here
