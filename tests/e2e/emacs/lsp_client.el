;;; lsp_client.el --- Drives the server from a batch Emacs with lsp-mode  -*- lexical-binding: t -*-

;;; Commentary:
;; Diagnostics, a code action, completion, hover, as a user of lsp-mode has them.  The server is started by
;; callwright-lsp.el alone.  Environment and results are those of common.el.  There is no character outside the BMP in
;; the text: lsp-mode counts them as one where the protocol counts two.

;;; Code:

(load (expand-file-name "common.el" (file-name-directory load-file-name)))
(require 'callwright-lsp)
(require 'lsp-mode)
(require 'lsp-diagnostics)

(setq lsp-auto-guess-root t
      lsp-restart 'ignore
      lsp-enable-suggest-server-download nil
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME")))
(dolist (folder '("debug" "wiki"))
  (lsp-workspace-folders-add (directory-file-name (expand-file-name folder workspace))))

;; `lsp-deferred' waits until the buffer is shown, which a batch never does.
(advice-add 'lsp-deferred :override #'lsp)

(defun diagnostics ()
  "Return the diagnostics of the current buffer."
  (gethash (lsp--fix-path-casing buffer-file-name) (lsp-diagnostics t)))

(defun run ()
  (find-file (expand-file-name "debug/agent.prompt" workspace))
  (saw "encoding" "utf-16")
  (saw "root" (directory-file-name (lsp-workspace-root)))
  (let* ((found (until-true "diagnostics" #'diagnostics)))
    (saw-diagnostics
     (mapcar (lambda (each)
               (list (lsp--position-to-point (lsp:range-start (lsp:diagnostic-range each)))
                     (lsp:diagnostic-message each)
                     (eql (lsp:diagnostic-severity? each) 1)))
             found))
    (saw "before" (string-trim-right (buffer-string) "\n"))
    (goto-char (lsp--position-to-point (lsp:range-start (lsp:diagnostic-range (car found)))))
    (let ((action (cl-find-if (lambda (each) (string-match-p "\\`Convert .*JSON" (lsp:code-action-title each)))
                              (lsp-code-actions-at-point "quickfix"))))
      (unless action (error "No conversion is offered"))
      (lsp-execute-code-action action)))
  (saw "after" (string-trim-right (buffer-string) "\n"))
  (until-true "a clean buffer" (lambda () (null (diagnostics))))
  (goto-char (point-max))
  (insert "\n<debug_set")
  (let* ((answer (lsp-request "textDocument/completion" (lsp--text-document-position-params)))
         (items (if (vectorp answer) answer (lsp:completion-list-items answer)))
         (item (cl-find "debug_set_breakpoint" items :key #'lsp:completion-item-label :test #'string=)))
    (saw "completion" (vconcat (mapcar #'lsp:completion-item-label items)))
    (lsp--apply-text-edits (vector (lsp:completion-item-text-edit? item))))
  (goto-char (point-max))
  (saw "completed" (buffer-substring (line-beginning-position) (line-end-position)))
  (goto-char (point-min))
  (search-forward "debug_launch")
  (backward-char 3)
  (let ((contents (lsp:hover-contents (lsp-request "textDocument/hover" (lsp--text-document-position-params)))))
    (saw "hover" (if (stringp contents) contents (lsp:markup-content-value contents))))
  (saw-prompts (lambda () (mapcar #'lsp:diagnostic-message (diagnostics)))))

(finish #'run)

;;; lsp_client.el ends here
